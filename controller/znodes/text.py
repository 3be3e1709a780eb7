"""Values that znodes hold as text: ids in base64, numbers in quotes, names in percent-encoding."""

import base64
import re
import urllib.parse
from uuid import UUID

_UUID = re.compile(r"[A-Za-z0-9_-]{22}(==)?")
_DECIMAL = re.compile(r"-?[0-9]{1,19}")


def encode_uuid(uuid: UUID) -> str:
    """Return the 22 characters of org.apache.kafka.common.Uuid: url-safe base64, no padding."""
    return base64.urlsafe_b64encode(uuid.bytes)[:22].decode()


def decode_uuid(text: str) -> UUID:
    """Read what encode_uuid writes, with or without padding; raises ValueError."""
    if not _UUID.fullmatch(text):
        raise ValueError(f"{text[:40]!r} is not an id of 22 characters in url-safe base64")
    return UUID(bytes=base64.urlsafe_b64decode(text[:22] + "=="))


def decode_int(text: object, least: int, most: int) -> int | None:
    """Read a decimal number in ASCII digits; return None for anything else or out of bounds."""
    if not isinstance(text, str) or not _DECIMAL.fullmatch(text):
        return None
    number = int(text)
    return number if least <= number <= most else None


def sanitize(name: str) -> str:
    """Encode the name of a client, user or address for a path (Kafka's Sanitizer.sanitize)."""
    return urllib.parse.quote(name, safe="").replace("~", "%7E")


def desanitize(name: str) -> str:
    """Undo sanitize (Kafka's Sanitizer.desanitize, which is Java's URLDecoder)."""
    return urllib.parse.unquote_plus(name)
