"""ssl.principal.mapping.rules: from the subject of a certificate to the name of a user.

    DEFAULT                                  the subject as it is: CN=alice,OU=ops,O=Example
    RULE:^CN=(.*?),OU=ops.*$/$1/L            the first that matches counts; L and U change the case

Source: Kafka 3.9, SslPrincipalMapper.java; java.security's X500Principal.getName for subjects.
"""

import re
from dataclasses import dataclass

_RULE = re.compile(
    r"(?:(?P<default>DEFAULT)|RULE:(?P<pattern>(?:\\.|[^\\/])*)/(?P<by>(?:\\.|[^\\/])*)/(?P<case>[LU]?))"
    r"\s*(?:,\s*|\Z)"
)
_REFERENCE = re.compile(r"\\(.)|\$(\d)", re.DOTALL)
#: Attributes that X500Principal writes by name; all others are written by number.
_NAMES = {
    "2.5.4.3": "CN",
    "2.5.4.6": "C",
    "2.5.4.7": "L",
    "2.5.4.8": "ST",
    "2.5.4.9": "STREET",
    "2.5.4.10": "O",
    "2.5.4.11": "OU",
    "0.9.2342.19200300.100.1.1": "UID",
    "0.9.2342.19200300.100.1.25": "DC",
}
#: The encodings of text in DER, by tag: UTF8, Printable, Teletex, IA5, Universal and BMP strings.
_TEXTS = {
    0x0C: "utf-8",
    0x13: "ascii",
    0x14: "latin-1",
    0x16: "ascii",
    0x1C: "utf-32-be",
    0x1E: "utf-16-be",
}


class MappingError(ValueError):
    """Rules cannot be understood, or none fits a subject; the text names it."""


@dataclass(frozen=True, slots=True)
class _Rule:
    pattern: re.Pattern[str]
    by: str
    case: str

    def apply(self, subject: str) -> str | None:
        if self.pattern.fullmatch(subject) is None:
            return None
        # As Java's replaceAll does, which goes on behind the first match.
        name = self.pattern.sub(lambda found: _replaced(self.by, found), subject)
        return {"L": name.lower(), "U": name.upper()}.get(self.case, name)


@dataclass(frozen=True, slots=True)
class PrincipalMapper:
    """The rules in their order; None stands for DEFAULT."""

    rules: tuple[_Rule | None, ...] = (None,)

    def name(self, subject: str) -> str:
        """Return the name of who has this subject; raises MappingError."""
        for rule in self.rules:
            name = subject if rule is None else rule.apply(subject)
            if name is not None:
                return name
        raise MappingError(f"no rule of ssl.principal.mapping.rules fits {subject!r}")


def parse_rules(text: str) -> PrincipalMapper:
    """Read rules; raises MappingError. No text at all means DEFAULT."""
    text = text.strip()
    rules: list[_Rule | None] = []
    at = 0
    while at < len(text):
        match = _RULE.match(text, at)
        if match is None:
            raise MappingError(
                f"{text[at:]!r} begins no rule: DEFAULT or RULE:PATTERN/REPLACEMENT/[LU] is needed"
            )
        at = match.end()
        rules.append(None if match["default"] else _rule(match))
    return PrincipalMapper(tuple(rules) or (None,))


def _rule(match: re.Match[str]) -> _Rule:
    pattern = match["pattern"].replace("\\/", "/")
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise MappingError(f"{pattern!r} is no regular expression: {error}") from error
    highest = max(
        (int(number) for _, number in _REFERENCE.findall(match["by"]) if number), default=0
    )
    if highest > compiled.groups:
        raise MappingError(f"{match['by']!r} names group {highest}, and {pattern!r} has none")
    return _Rule(compiled, match["by"], match["case"])


def _replaced(by: str, found: re.Match[str]) -> str:
    return _REFERENCE.sub(lambda ref: ref[1] or found[int(ref[2])] or "", by)


# --- subjects -------------------------------------------------------------------------------------


def subject_text(der: bytes) -> str:
    """Write a subject, a Name in DER, as RFC 2253 has it and Java does; raises MappingError."""
    try:
        _, names, _ = _element(der)
        rdns = [_rdn(rdn) for rdn in _elements(names)]
    except (IndexError, ValueError) as error:
        raise MappingError("a certificate's subject cannot be read") from error
    return ",".join(reversed(rdns))


def _rdn(rdn: bytes) -> str:
    return "+".join(_attribute(attribute) for attribute in _elements(rdn))


def _attribute(attribute: bytes) -> str:
    _, number, rest = _element(attribute)
    tag, value, _ = _element(rest)
    oid = _oid(number)
    if oid not in _NAMES or tag not in _TEXTS:
        return f"{oid}=#{rest.hex()}"
    return f"{_NAMES[oid]}={_escaped(value.decode(_TEXTS[tag]))}"


def _escaped(text: str) -> str:
    escaped = re.sub(r'([,+"\\<>;])', r"\\\1", text)
    if escaped.startswith(("#", " ")):
        escaped = "\\" + escaped
    if len(escaped) > 1 and text.endswith(" ") and text != " ":
        escaped = escaped[:-1] + "\\ "
    return escaped


def _elements(data: bytes) -> list[bytes]:
    found = []
    while data:
        _, value, data = _element(data)
        found.append(value)
    return found


def _element(data: bytes) -> tuple[int, bytes, bytes]:
    """Return tag and value of the first DER element, and what follows it."""
    tag, length, at = data[0], data[1], 2
    if length & 0x80:
        at += length & 0x7F
        length = int.from_bytes(data[2:at], "big")
    if len(data) < at + length:
        raise ValueError("an element ends before its length")
    return tag, data[at : at + length], data[at + length :]


def _oid(data: bytes) -> str:
    arcs, arc = [], 0
    for byte in data:
        arc = arc << 7 | byte & 0x7F
        if not byte & 0x80:
            arcs.append(arc)
            arc = 0
    first = min(arcs[0] // 40, 2)
    return ".".join(map(str, (first, arcs[0] - 40 * first, *arcs[1:])))
