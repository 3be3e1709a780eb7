"""The syntax of server.properties: that of java.util.Properties, read as Java reads it.

A line is a key, a separator (`=`, `:` or white space) and a value; `#` or `!` starts a comment
line, a backslash at the end joins the next line without its indentation, and backslash escapes
are \\t, \\n, \\r, \\f, \\u with four hex digits, and any other character for itself. The last
value of a key counts.
Source: java.util.Properties.load; Kafka reads the file as bytes, which makes it ISO 8859-1.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

_BLANK = " \t\f"
_NATURAL_LINE = re.compile(r"\r\n|\r|\n")
_LAST_BACKSLASHES = re.compile(r"\\*\Z")
#: A key ends at the first separator that no backslash stands before.
_KEY_AND_VALUE = re.compile(
    r"(?P<key>(?:\\.|[^\\=: \t\f])*)[ \t\f]*[=:]?[ \t\f]*(?P<value>.*)", re.DOTALL
)
_ESCAPE = re.compile(r"\\(?:u(?P<code>.{0,4})|(?P<letter>.)|\Z)", re.DOTALL)
_LETTERS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_HEX = re.compile(r"[0-9a-fA-F]{4}")


class PropertiesError(ValueError):
    """A text is no properties file; names the key and what is wrong."""


def read_properties(file: Path) -> dict[str, str]:
    """Read a properties file; raises OSError and PropertiesError."""
    return parse_properties(file.read_bytes().decode("iso-8859-1"))


def parse_properties(text: str) -> dict[str, str]:
    """Return the keys and values of a properties text, in order; raises PropertiesError."""
    found: dict[str, str] = {}
    for line in _logical_lines(text):
        match = _KEY_AND_VALUE.fullmatch(line)
        assert match is not None, "the pattern takes any text whose backslashes stand in pairs"
        key = _unescape(match["key"], line)
        found[key] = _unescape(match["value"], line)
    return found


def _logical_lines(text: str) -> Iterator[str]:
    """Join what backslashes join; leave comments and blank lines out."""
    joined: str | None = None
    for natural in _NATURAL_LINE.split(text):
        line = natural.lstrip(_BLANK)
        if not joined and (not line or line[0] in "#!"):
            joined = None
            continue
        line = (joined or "") + line
        joined = None
        backslashes = _LAST_BACKSLASHES.search(line)
        assert backslashes is not None
        if len(backslashes[0]) % 2:
            joined = line[:-1]  # an open escape: Java drops it at the end of the text too
        else:
            yield line
    if joined:
        yield joined


def _unescape(text: str, line: str) -> str:
    if "\\" not in text:
        return text

    def character(match: re.Match[str]) -> str:
        code = match["code"]
        if code is None:
            letter = match["letter"] or ""
            return _LETTERS.get(letter, letter)
        if not _HEX.fullmatch(code):
            raise PropertiesError(f"{line[:120]!r}: \\u must be followed by four hex digits")
        return chr(int(code, 16))

    plain = _ESCAPE.sub(character, text)
    # Java's characters are UTF-16: a pair of escapes may be one of ours, half a pair is none.
    return plain.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def format_properties(properties: Mapping[str, str]) -> str:
    """Write a properties text that Java and `parse_properties` read as these keys and values."""
    return "".join(
        f"{_escaped(key, ' =:#!')}={_escaped(value, '')}\n" for key, value in properties.items()
    )


def _escaped(text: str, separators: str) -> str:
    found = []
    for place, character in enumerate(text):
        if character in separators or character == "\\" or (character in " #!" and not place):
            found.append("\\" + character)
        elif character in "\t\n\r\f":
            found.append("\\" + {"\t": "t", "\n": "n", "\r": "r", "\f": "f"}[character])
        elif " " <= character <= "~":
            found.append(character)
        else:
            units = character.encode("utf-16-be").hex()
            found += [f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4)]
    return "".join(found)
