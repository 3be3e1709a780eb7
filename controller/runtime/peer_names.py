"""How a peer and its faults are called in the log."""

import trio

from klamm.controller.runtime.turnstile import PacedStream
from klamm.protocol.errors import DecodeError
from klamm.protocol.framing import FrameTooLargeError

#: The first bytes of a TLS connection, which elsewhere are the half of a length: a record of the
#: handshake, version 3.
TLS_HANDSHAKE = 0x1603


def peer_name(stream: trio.abc.Stream) -> str:
    """Name the other end for the log."""
    if isinstance(stream, trio.SSLStream):
        return peer_name(stream.transport_stream)
    if isinstance(stream, PacedStream):
        return peer_name(stream.stream)
    if isinstance(stream, trio.SocketStream):
        try:
            host, port = stream.socket.getpeername()[:2]
        except OSError:
            return "a peer that is gone"
        return f"{host}:{port}"
    return type(stream).__name__


def explained(error: DecodeError) -> str:
    """Say what is wrong with a peer's bytes, and what is often the cause.

    A client that begins by the first bytes of TLS seems to announce a frame of 369 MB.
    """
    tls = isinstance(error, FrameTooLargeError) and error.length >> 16 == TLS_HANDSHAKE
    return f"{error}; it seems to speak TLS, and this listener does not" if tls else str(error)
