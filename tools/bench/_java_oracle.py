"""Kafka's own message classes, asked over a pipe: the codec that klamm's has to agree with.

The other end is java/MessageOracle.java, whose comment describes the frames; Java compiles it in
memory at each start. Needs a checkout, a JDK and, the first time, Maven.
"""

from __future__ import annotations

import json
import struct
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any

from klamm.tools.embedded.errors import JavaNotFoundError
from klamm.tools.embedded.java import find_java
from klamm.tools.embedded.maven import MavenMissingError, cache_folder, pinned_jars

PROJECT = Path(__file__).resolve().parent / "java"
PROGRAM = "MessageOracle.java"
_HINT = "Java's message classes need a JDK (Debian: apt install default-jdk-headless)"
_END_TIMEOUT = 10.0  # seconds from the end of its input to the end of the program


class JavaOracleError(Exception):
    """The oracle failed, or refused a question; the text has what Java said."""


class JavaMissingError(JavaOracleError):
    """A tool that the oracle needs is not on this machine; the text says how to get it."""


class JavaOracle:
    """The message classes of one version of kafka-clients; a context manager, for one thread."""

    def __init__(self, clients: str = "3.9.1") -> None:
        """Start Java with that version of kafka-clients, one of those that pom.xml lists.

        Raises JavaMissingError, which says what to install, if there is no JDK or no Maven.
        """
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the oracle
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the user's Java, our own program
                [_jdk(), "-cp", _class_path(clients), str(PROJECT / PROGRAM)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
            )
        except BaseException:
            self._log.close()
            raise

    def __enter__(self) -> JavaOracle:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the program; harmless if it has ended."""
        try:
            self._process.communicate(timeout=_END_TIMEOUT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()
        finally:
            self._log.close()

    def versions(self, name: str) -> range | None:
        """Return the versions of a message that these classes know; None if not even its name."""
        answer = self._ask("V", name, 0, b"")
        if not answer:
            return None
        first, last = struct.unpack(">hh", answer)
        return range(first, last + 1)

    def decode(self, name: str, version: int, data: bytes) -> tuple[Any, bytes]:
        """Return what Java reads in the bytes, as Kafka's JSON, and those it writes for that.

        Raises JavaOracleError if Java refuses the bytes or leaves some over.
        """
        answer = self._ask("D", name, version, data)
        end = 4 + int.from_bytes(answer[:4], "big")
        return json.loads(answer[4:end]), answer[end:]

    def encode(self, name: str, version: int, value: object) -> bytes:
        """Return what Java writes for a value in Kafka's JSON.

        Raises JavaOracleError if Java refuses the value.
        """
        return self._ask("E", name, version, json.dumps(value).encode())

    def time(self, name: str, version: int, data: bytes, rounds: int) -> tuple[float, float]:
        """Return the mean seconds that Java takes to decode the bytes and to encode the result."""
        answer = self._ask("T", name, version, struct.pack(">i", rounds) + data)
        decoded, encoded = struct.unpack(">qq", answer)
        return decoded / rounds / 1e9, encoded / rounds / 1e9

    def _ask(self, operation: str, name: str, version: int, payload: bytes) -> bytes:
        encoded = name.encode()
        head = struct.pack(">ch", operation.encode(), len(encoded)) + encoded
        question = head + struct.pack(">h", version) + payload
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        try:
            stdin.write(struct.pack(">i", len(question)) + question)
            stdin.flush()
        except BrokenPipeError:
            raise self._ended() from None
        size = stdout.read(4)
        if len(size) < 4:
            raise self._ended()
        answer = stdout.read(int.from_bytes(size, "big"))
        if answer[0]:
            raise JavaOracleError(f"{name} v{version}: {answer[1:].decode()}")
        return answer[1:]

    def _ended(self) -> JavaOracleError:
        status = self._process.wait()
        self._log.seek(0)
        said = self._log.read().decode(errors="replace")
        return JavaOracleError(f"{PROGRAM} ended with status {status}:\n{said}")


def _class_path(clients: str) -> str:
    """Join the jars, of several kafka-clients the one that is asked for."""
    try:
        found = pinned_jars(PROJECT, cache_folder())
    except MavenMissingError as error:
        raise JavaMissingError(str(error)) from error
    if f"kafka-clients-{clients}.jar" not in found:
        raise ValueError(f"kafka-clients {clients} is not in {PROJECT}/pom.xml")
    return ":".join(
        str(path)
        for name, path in found.items()
        if not name.startswith("kafka-clients-") or name == f"kafka-clients-{clients}.jar"
    )


def _jdk() -> Path:
    try:
        java = find_java().path
    except JavaNotFoundError as error:
        raise JavaMissingError(f"{_HINT}: {str(error).splitlines()[0]}") from error
    modules = subprocess.run(  # noqa: S603 - the launcher that find_java has just run
        [java, "--list-modules"], capture_output=True, text=True, check=True
    )
    if "jdk.compiler@" not in modules.stdout:
        raise JavaMissingError(f"{_HINT}: {java} has no compiler")
    return java
