"""What can go wrong on the wire, and whose fault it is.

::

    ProtocolError
    +-- EncodeError             ours: a message that its version cannot carry
    +-- DecodeError             the peer's: bytes that are no such message
    +-- UnknownApiKeyError      a key that no generated message has (also a KeyError)

`encode` raises nothing but `EncodeError` for a message whose fields are wrong, `decode` nothing
but `DecodeError`, whatever the bytes.
"""

from __future__ import annotations


class ProtocolError(Exception):
    """The root of all errors of this package."""


class EncodeError(ProtocolError):
    """A message cannot be encoded: the text names the message, version, field, and value."""

    def __init__(self, message: str, version: int, field: str, value: object, reason: str) -> None:
        super().__init__(message, version, field, value, reason)
        self.message = message
        self.version = version
        self.field = field
        self.value = value
        self.reason = reason

    def __str__(self) -> str:
        shown = repr(self.value)
        if len(shown) > 80:
            shown = f"{shown[:77]}..."
        return f"{self.message} v{self.version}: {self.field} = {shown}: {self.reason}"


class DecodeError(ProtocolError):
    """Bytes from a peer are no message of the kind that was expected."""


class UnknownApiKeyError(ProtocolError, KeyError):
    """No generated request or response has this API key."""

    def __init__(self, api_key: int) -> None:
        super().__init__(api_key)
        self.api_key = api_key

    def __str__(self) -> str:
        return f"no message has API key {self.api_key}; registry.API_KEYS lists those that exist"
