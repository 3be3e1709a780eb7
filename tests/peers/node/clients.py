"""Kafka clients of Node, each in a process of its own that does what it is told."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pytest

from klamm.tools.embedded.maven import cache_folder

HERE = Path(__file__).resolve().parent
PROJECT_FILES = ("package.json", "package-lock.json")
LIBRARIES = ("kafkajs", "kafka-ts", "platformatic")


def node_modules() -> Path:
    """Return the folder with the clients that the lock file names, installed once.

    npm verifies every package by the lock file's hash, and runs no script of any. Skips the
    calling test, with a hint, on a machine without Node or npm.
    """
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.skip("the clients of Node need node and npm on PATH (Debian: apt install npm)")
    content = b"".join((HERE / name).read_bytes() for name in PROJECT_FILES)
    # Node finds the packages of a package only in a folder of this name.
    folder = cache_folder() / "node" / hashlib.sha256(content).hexdigest()[:16] / "node_modules"
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as fresh:
            for name in PROJECT_FILES:
                shutil.copy(HERE / name, fresh)
            install = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
            done = subprocess.run(install, cwd=fresh, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
            Path(fresh, "node_modules").replace(folder)
    return folder


class ClientError(Exception):
    """The library refused or failed; what it told of the error are attributes by name."""

    def __init__(self, told: dict[str, Any]) -> None:
        super().__init__(f"{told['name']}: {told['message']}")
        self.told = told


class NodeClient:
    """One client of a library, connected while it is open."""

    def __init__(self, library: str, bootstrap: str) -> None:
        self._command = ["node", str(HERE / "client.cjs"), str(node_modules()), library, bootstrap]

    def __enter__(self) -> Self:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            self._command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, bufsize=1
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            _, complaints = self._process.communicate(timeout=20)
        finally:
            self._process.kill()
            self._process.wait()
        if kind is None:
            assert (self._process.returncode, complaints) == (0, "")

    def call(self, method: str, *arguments: object) -> Any:  # noqa: ANN401 - JSON of any shape
        """Call a method; see client.cjs for their names. Raises ClientError for its errors."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([method, *arguments]) + "\n")
        line = self._process.stdout.readline()
        if not line:
            _, complaints = self._process.communicate()
            raise AssertionError(f"node ended within {method}: {complaints}")
        found = json.loads(line)
        if "error" in found:
            raise ClientError(found["error"])
        return found["answer"]
