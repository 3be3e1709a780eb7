"""Sockets of kafka-python 3.0, which forgets some: of connections that were refused or cut.

What it forgets Python would close with a warning, in whatever test runs at that moment, and here
warnings are errors. So its sockets close without one; those of everybody else still warn.
"""

import socket
from collections.abc import Iterator

import pytest
from kafka.net.inet import KafkaNetSocket


class _ForgottenQuietly(socket.socket):
    def __del__(self) -> None:
        self.close()


def _make(_: KafkaNetSocket, *arguments: int) -> socket.socket:
    return _ForgottenQuietly(*arguments)


@pytest.fixture(autouse=True, scope="session")
def kafka_python_forgets_quietly() -> Iterator[None]:
    """Let kafka-python make sockets that may be forgotten."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(KafkaNetSocket, "socket", _make)
        yield
