"""The text of sasl.jaas.config: login modules with their options.

    org.apache.kafka.common.security.plain.PlainLoginModule required username="a" password="b";

Source: Kafka 3.9, JaasConfig.java, which reads it by java.io.StreamTokenizer: words or quoted
strings, with backslash escapes within quotes and Java's comments between words.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

_FLAGS = frozenset({"required", "requisite", "sufficient", "optional"})
_TOKEN = re.compile(
    r"""(?P<space> \s+ | //[^\n]* | /\*.*?\*/ )
      | "(?P<double> (?:\\.|[^"\\\r\n])* )"
      | '(?P<single> (?:\\.|[^'\\\r\n])* )'
      | (?P<sign> [=;] )
      | (?P<word> [^\s=;"'/]+ (?: /(?![/*]) [^\s=;"'/]* )* )""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\([0-7]{1,3}|.)", re.DOTALL)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "a": "\a", "v": "\v"}


class JaasError(ValueError):
    """A text is no JAAS configuration; what it holds is a secret, so the text tells only where."""


@dataclass(frozen=True, slots=True)
class LoginModule:
    """A login module: the class that Kafka would load, and its options."""

    name: str
    options: Mapping[str, str]

    def __repr__(self) -> str:
        """Leave the values out: they are passwords."""
        return f"LoginModule({self.name}, {', '.join(self.options)})"


def login_modules(text: str) -> tuple[LoginModule, ...]:
    """Read the modules of a configuration, at least one; raises JaasError."""
    tokens = _tokens(text)
    found = []
    for name in tokens:
        flag = next(tokens, None)
        if name.is_sign or flag is None or flag.text.lower() not in _FLAGS:
            raise JaasError(f"after {name.text} one of {', '.join(sorted(_FLAGS))} is needed")
        found.append(LoginModule(name.text, _options(tokens, name.text)))
    if not found:
        raise JaasError("it names no login module")
    return tuple(found)


def _options(tokens: Iterator["_Token"], module: str) -> Mapping[str, str]:
    options = {}
    while (key := next(tokens, None)) != _END:
        if key is None:
            raise JaasError(f"the options of {module} do not end with a semicolon")
        sign, value = next(tokens, None), next(tokens, None)
        if key.is_sign or sign != _IS or value is None or value.is_sign:
            raise JaasError(f"the option {key.text} of {module} is not NAME=VALUE")
        options[key.text] = value.text
    return options


class _Token(NamedTuple):
    """A word or a string, or a sign between them; a string may well read as a sign does."""

    text: str
    is_sign: bool = False


_IS, _END = _Token("=", is_sign=True), _Token(";", is_sign=True)


def _tokens(text: str) -> Iterator[_Token]:
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise JaasError(f"character {at} begins neither a word nor a string that ends")
        at = match.end()
        quoted = match["double"] if match["double"] is not None else match["single"]
        if quoted is not None:
            yield _Token(_ESCAPE.sub(_character, quoted))
        elif not match["space"]:
            yield _Token(match[0], is_sign=match["sign"] is not None)


def _character(match: re.Match[str]) -> str:
    code = match[1]
    return chr(int(code, 8)) if code[0] in "01234567" else _LETTERS.get(code, code)
