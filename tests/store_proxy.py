"""A TCP proxy before ZooKeeper that loses, cuts and holds back what passes through it."""

import contextlib
import socket
import threading
from collections.abc import Callable
from enum import Enum

WAIT_S = 10.0
_CHUNK = 1 << 16
_HEADER = 20  # length, xid, zxid, error


class Rule(Enum):
    """What becomes of the next bytes in one direction."""

    PASS = "pass"
    CUT = "cut"
    """They are dropped and the connection is closed on both sides."""
    SPOIL = "spoil"
    """What follows the header of an answer is overwritten."""
    HOLD = "hold"
    """They are kept until `release`."""


class Pair:
    """A client's connection and the proxy's own to the server."""

    def __init__(self, client: socket.socket, server: socket.socket) -> None:
        self.client = client
        self.server = server
        self.held = b""
        self.answered = threading.Event()
        """The server has answered what was released."""
        self.server_gone = threading.Event()

    def close(self) -> None:
        for end in (self.client, self.server):
            _shut(end)


def _shut(end: socket.socket) -> None:
    with contextlib.suppress(OSError):  # the other side was faster
        end.shutdown(socket.SHUT_RDWR)
    end.close()


class Proxy:
    """Listens on a port of its own; `requests` and `answers` rule over the two directions."""

    def __init__(self, target: tuple[str, int]) -> None:
        self._target = target
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.requests = Rule.PASS
        self.answers = Rule.PASS
        self.accepting = True
        self.cut_seen = threading.Event()
        self.hold_seen = threading.Event()
        self._pairs: list[Pair] = []
        self._broken: list[Pair] = []
        self._threads: list[threading.Thread] = []
        self._start(self._accept)

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self._listener.getsockname()[1]}"

    def cut(self) -> None:
        """Close every connection on both sides."""
        for pair in self._pairs:
            pair.close()
        self._pairs.clear()

    def break_held(self) -> Pair:
        """Close the client's side of the connection whose bytes are held back; return it."""
        (pair,) = (pair for pair in self._pairs if pair.held)
        self._pairs.remove(pair)
        self._broken.append(pair)
        _shut(pair.client)
        return pair

    def release(self, pair: Pair) -> None:
        """Send what was held back, if the server still listens."""
        try:
            pair.server.sendall(pair.held)
        except OSError:
            assert pair.server_gone.wait(WAIT_S)

    def close(self) -> None:
        self.accepting = False
        _shut(self._listener)
        self.cut()
        for pair in self._broken:
            pair.close()
        for thread in self._threads:
            thread.join(WAIT_S)

    def _start(self, target: Callable[..., None], *args: object) -> None:
        thread = threading.Thread(target=target, args=args, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if not self.accepting:
                _shut(client)
                continue
            pair = Pair(client, socket.create_connection(self._target))
            self._pairs.append(pair)
            self._start(self._carry_requests, pair)
            self._start(self._carry_answers, pair)

    def _carry_requests(self, pair: Pair) -> None:
        while data := _receive(pair.client):
            if self.requests is Rule.CUT:
                self.requests = Rule.PASS
                pair.close()
                self.cut_seen.set()
            elif self.requests is Rule.HOLD or pair.held:  # nothing overtakes what is held
                pair.held += data
                self.hold_seen.set()
            else:
                _send(pair.server, data)
        if not pair.held:
            _shut(pair.server)

    def _carry_answers(self, pair: Pair) -> None:
        while data := _receive(pair.server):
            if self.answers is Rule.CUT:
                self.answers = Rule.PASS
                pair.close()
                self.cut_seen.set()
            elif self.answers is Rule.SPOIL:
                self.answers = Rule.PASS
                _send(pair.client, data[:_HEADER].ljust(len(data), b"\x7f"))
            elif pair.held:
                pair.answered.set()
            else:
                _send(pair.client, data)
        pair.server_gone.set()
        _shut(pair.client)


def _receive(end: socket.socket) -> bytes:
    try:
        return end.recv(_CHUNK)
    except OSError:
        return b""


def _send(end: socket.socket, data: bytes) -> None:
    with contextlib.suppress(OSError):  # the reading side of this pair sees the end
        end.sendall(data)
