"""Peers that are not known yet take turns, so that those that are known need not wait for them.

A TLS handshake costs the processor a millisecond, and hundreds of peers may ask for one in the
same moment. Here one of them goes on at a time, and whoever else there is has his turn between.
"""

import trio


class Turnstile:
    """Lets one through in each round of the scheduler, in the order in which they came."""

    def __init__(self) -> None:
        self._lock = trio.Lock()

    async def go_through(self) -> None:
        """Wait for one's turn."""
        async with self._lock:
            await trio.lowlevel.checkpoint()


class PacedStream(trio.abc.Stream):
    """A stream whose bytes come through a turnstile, until its peer is `known`."""

    def __init__(self, stream: trio.abc.Stream, turnstile: Turnstile) -> None:
        self.stream = stream
        self.known = False
        self._turnstile = turnstile

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        """Receive bytes, and wait for one's turn to look at them."""
        data = await self.stream.receive_some(max_bytes)
        if not self.known:
            await self._turnstile.go_through()
        return data

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Send."""
        await self.stream.send_all(data)

    async def wait_send_all_might_not_block(self) -> None:
        """Wait until there may be room to send."""
        await self.stream.wait_send_all_might_not_block()

    async def aclose(self) -> None:
        """Close the stream."""
        await self.stream.aclose()
