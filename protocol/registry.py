"""From API keys to message classes, without importing what nobody asks for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from klamm.protocol import generated
from klamm.protocol.errors import UnknownApiKeyError
from klamm.protocol.message import Api, Message

API_KEYS: Final[Mapping[int, str]] = {key: api.name for key, api in generated.APIS.items()}
"""The name of every API that has generated messages, by key: 45 -> AlterPartitionReassignments."""


def api(api_key: int) -> Api:
    """Give name, versions and first flexible version; `UnknownApiKeyError` (a KeyError) if none."""
    try:
        return generated.APIS[api_key]
    except KeyError:
        raise UnknownApiKeyError(api_key) from None


def request(api_key: int) -> type[Message]:
    """Give the class of the request with this key; `UnknownApiKeyError` (a KeyError) if none."""
    return _message(f"{api(api_key).name}Request")


def response(api_key: int) -> type[Message]:
    """Give the class of the response with this key; `UnknownApiKeyError` (a KeyError) if none."""
    return _message(f"{api(api_key).name}Response")


def _message(name: str) -> type[Message]:
    cls: type[Message] = getattr(generated, name)
    return cls
