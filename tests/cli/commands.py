"""`klamm` commands as processes of their own, and what they leave behind."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from processes import has_ended, parent_of, wait_until

KLAMM = [sys.executable, "-P", "-m", "klamm.tools.cli"]

#: How long a command may take to start or to end on a machine that is busy with other tests.
SECONDS = 60.0


@dataclass
class Command:
    """A command that runs, with what its ready file said."""

    process: subprocess.Popen[str]
    ready: dict[str, Any]
    family: list[int]

    def end(self, signal: int) -> str:
        """Send a signal and return all output; fails unless the status is 0."""
        self.process.send_signal(signal)
        output, _ = self.process.communicate(timeout=SECONDS)
        assert self.process.returncode == 0, output
        return output


def start(folder: Path, *words: str) -> subprocess.Popen[str]:
    """Start a command whose temporary files go to the folder; its output is one text."""
    environment = {**os.environ, "TMPDIR": str(folder), "PYTHONUNBUFFERED": "1", "COLUMNS": "120"}
    return subprocess.Popen(
        [*KLAMM, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
    )


def run(folder: Path, *words: str) -> tuple[int, str]:
    """Run a command to its end and return status and output."""
    with start(folder, *words) as process:
        output, _ = process.communicate(timeout=SECONDS)
    return process.returncode, output


@contextmanager
def running(folder: Path, *words: str) -> Iterator[Command]:
    """Run a command once it has written its ready file; all its processes must end after it."""
    ready = folder / "ready.json"
    with start(folder, *words, "--ready-file", str(ready)) as process:
        try:
            wait_until(
                lambda: ready.exists() or process.poll() is not None,
                f"klamm {' '.join(words)} to be ready",
                SECONDS,
            )
            if not ready.exists():
                raise AssertionError(process.communicate()[0])
            family = children_of(process.pid)
            yield Command(process, json.loads(ready.read_text()), family)
        finally:
            if process.poll() is None:
                process.kill()
    wait_until(lambda: all(map(has_ended, family)), f"processes {family} to end", SECONDS)


def left_in(folder: Path) -> list[str]:
    """What is in a folder that was empty."""
    return sorted(path.name for path in folder.iterdir())


def children_of(pid: int) -> list[int]:
    """Every process below this one, however deep."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = parent_of(int(entry.name))
            except (FileNotFoundError, ProcessLookupError):
                continue  # it ended while we looked
    found = [pid]
    for known in found:
        found += [child for child, parent in parents.items() if parent == known]
    return found[1:]


def java_of(pid: int) -> int:
    """The ZooKeeper below this process."""
    [java] = [
        child for child in children_of(pid) if Path(f"/proc/{child}/comm").read_text() == "java\n"
    ]
    return java
