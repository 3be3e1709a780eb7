"""Orders to simulated brokers in another process; blocks, for commands and tests."""

import socket
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

#: How long an order may take: a controlled shutdown has three tries of half a minute at most.
SECONDS = 120.0


class ControlError(Exception):
    """An order was refused, or nobody takes orders; the text says which and why."""


class Control:
    """A connection to the control port of `host:port`; a context manager. Raises ControlError."""

    def __init__(self, address: str, *, timeout: float = SECONDS) -> None:
        host, _, port = address.rpartition(":")
        if not host or not port.isdecimal() or not 0 < int(port) < 65536:
            raise ControlError(f"{address!r} is no address: write host:port")
        try:
            self._socket = socket.create_connection((host, int(port)), timeout)
        except OSError as error:
            raise ControlError(f"nobody takes orders at {address}: {error}") from error
        self._address = address
        self._lines = self._socket.makefile("rb")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._lines.close()
        self._socket.close()

    def order(self, action: str, **fields: object) -> Mapping[str, Any]:
        """Give an order and wait until it is carried out; fields that are None are left out."""
        given = {key: value for key, value in fields.items() if value is not None}
        try:
            self._socket.sendall(msgspec.json.encode({"action": action, **given}) + b"\n")
            line = self._lines.readline()
        except OSError as error:
            raise ControlError(f"no answer from {self._address}: {error}") from error
        if not line.endswith(b"\n"):
            raise ControlError(f"{self._address} has closed the connection")
        answer: dict[str, Any] = msgspec.json.decode(line, type=dict[str, Any])
        if "error" in answer:
            raise ControlError(str(answer["error"]))
        return answer


class _Ready(msgspec.Struct):
    control: str | None = None


def control_address(ready_file: Path) -> str:
    """Return the control address that a ready file names; raises ControlError."""
    try:
        address = msgspec.json.decode(ready_file.read_bytes(), type=_Ready).control
    except (OSError, msgspec.DecodeError) as error:
        raise ControlError(f"{ready_file}: {error}") from error
    if address is None:
        raise ControlError(f"{ready_file}: whoever wrote it takes no orders for brokers")
    return address
