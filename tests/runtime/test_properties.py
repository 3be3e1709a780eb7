"""server.properties as java.util.Properties reads it."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from klamm.controller.runtime.properties import (
    PropertiesError,
    format_properties,
    parse_properties,
    read_properties,
)

#: Texts with what java.util.Properties makes of them; OpenJDK 17 was asked.
FACTS = {
    "": {},
    "a=1": {"a": "1"},
    "a:1": {"a": "1"},
    "a 1": {"a": "1"},
    "a\t1": {"a": "1"},
    "a\f1": {"a": "1"},
    "  a = 1  ": {"a": "1  "},
    "a = = 1": {"a": "= 1"},
    "a : = 1": {"a": "= 1"},
    "a=:1": {"a": ":1"},
    "a  b c": {"a": "b c"},
    "a": {"a": ""},
    "a=": {"a": ""},
    "=b": {"": "b"},
    "a=1\nb=2": {"a": "1", "b": "2"},
    "a=1\rb=2": {"a": "1", "b": "2"},
    "a=1\r\nb=2\r\n": {"a": "1", "b": "2"},
    "a=1\n\n \t\nb=2": {"a": "1", "b": "2"},
    "a=1\na=2": {"a": "2"},
    "# a=1\n  ! b=2\nc=3": {"c": "3"},
    "# a \\\nb=2": {"b": "2"},
    "a=1 # no comment": {"a": "1 # no comment"},
    "a=1,\\\n   2,\\\r\n\t3": {"a": "1,2,3"},
    "a=1\\\n#2": {"a": "1#2"},
    "a=1\\\n\nb=2": {"a": "1", "b": "2"},
    "a=1\\\n  \nb=2": {"a": "1", "b": "2"},
    "a=1\\": {"a": "1"},
    "a=1\\\\": {"a": "1\\"},
    "a=1\\\\\nb=2": {"a": "1\\", "b": "2"},
    "a=1\\\\\\\n2": {"a": "1\\2"},
    "\\\n\nb=2": {"b": "2"},
    "\\\n#b=2": {},
    "a\\=b=1": {"a=b": "1"},
    "a\\:b\\ c=1": {"a:b c": "1"},
    "a\\\\=1": {"a\\": "1"},
    "a=C:\\\\data\\\\x": {"a": "C:\\data\\x"},
    "a=\\t\\n\\r\\f\\b\\q": {"a": "\t\n\r\fbq"},
    "a=\\u00e4\\u20AC": {"a": "\u00e4\u20ac"},
    "a=\\ud83d\\ude00": {"a": "\U0001f600"},
    "\\u0061=1": {"a": "1"},
    "a=\\\\u0041": {"a": "\\u0041"},
    "a=\u00e4": {"a": "\u00e4"},
    "a=x\u000by": {"a": "x\u000by"},
    "a=x\u0085y": {"a": "x\u0085y"},
}


@pytest.mark.parametrize("text", FACTS)
def test_what_java_reads(text: str) -> None:
    assert parse_properties(text) == FACTS[text]


@pytest.mark.parametrize("text", ["a=\\u12", "a=\\u12g4", "\\u=1", "a=\\u 123", "a=\\uuuuu"])
def test_an_escape_without_four_digits_is_refused(text: str) -> None:
    with pytest.raises(PropertiesError, match=re.escape(repr(text))):
        parse_properties(text)


def test_a_file_is_latin_1(tmp_path: Path) -> None:
    file = tmp_path / "server.properties"
    file.write_bytes(b"broker.rack=caf\xe9\n")
    assert read_properties(file) == {"broker.rack": "caf\u00e9"}


CHARACTERS = st.characters(codec="utf-8", exclude_categories=["Cs"])
ESCAPES = {"\t": "\\t", "\n": "\\n", "\r": "\\r", "\f": "\\f"}
SEPARATORS = st.sampled_from(["=", ":", " ", "\t", " = ", "\t:\f", "=  "])
LINE_ENDS = st.sampled_from(["\n", "\r", "\r\n"])
#: What changes nothing: comments, blank lines.
IDLE = st.sampled_from(["", "# no=thing\n", "  ! no:thing\\\n", "\n", " \t\f\r\n"])


@st.composite
def written(draw: st.DrawFn, text: str, key: bool) -> str:
    """A text as somebody may write it: escaped where it must be, or else as one likes."""
    units = [text[index] for index in range(len(text))]
    found = []
    for place, character in enumerate(units):
        must = (
            character in "\\\n\r"
            or (key and character in "=: \t\f")
            or (not key and place == 0 and character in "=: \t\f")
            or (key and place == 0 and character in "#!")
        )
        if draw(st.integers(0, 9)) == 0:
            found.append("\\" + draw(LINE_ENDS) + draw(st.sampled_from(["", " ", "\t  "])))
            # White space after a joint is taken for indentation.
            must = must or character in " \t\f"
        if not must and draw(st.integers(0, 3)):
            found.append(character)
        elif character in ESCAPES and draw(st.booleans()):
            found.append(ESCAPES[character])
        elif character in "tnrfu" or draw(st.booleans()) or character in "\n\r":
            words = character.encode("utf-16-be")
            found += [f"\\u{words[at : at + 2].hex()}" for at in range(0, len(words), 2)]
        else:
            found.append("\\" + character)
    return "".join(found)


@given(st.data())
def test_whatever_is_written_is_read_back(data: st.DataObject) -> None:
    wanted = data.draw(st.dictionaries(st.text(CHARACTERS, min_size=1), st.text(CHARACTERS)))
    text = ""
    for key, value in wanted.items():
        line = data.draw(written(key, key=True)) + data.draw(SEPARATORS)
        text += data.draw(IDLE) + line + data.draw(written(value, key=False)) + data.draw(LINE_ENDS)
    assert parse_properties(text) == wanted


@given(st.dictionaries(st.text(CHARACTERS, min_size=1), st.text(CHARACTERS)))
def test_what_is_formatted_is_read_back(properties: dict[str, str]) -> None:
    text = format_properties(properties)
    assert parse_properties(text) == properties
    assert text.isascii()


@given(st.text(st.sampled_from("ab=: \t\f\\\n\r#!u0")))
def test_any_text_is_read_or_refused_by_name(text: str) -> None:
    try:
        found = parse_properties(text)
    except PropertiesError as error:
        assert "\\u" in str(error)
    else:
        assert len(found) <= len(re.split(r"[\n\r]", text))
