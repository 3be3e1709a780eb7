"""The generated codecs against the interpreter of the spec, for every message and version."""

from __future__ import annotations

import pytest
import slow
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from message_strategies import ALL, SPECS, carried, class_of, make_in, messages

from klamm.protocol.codec import decode, encode
from klamm.protocol.errors import DecodeError
from klamm.tools.codegen import interpret
from klamm.tools.codegen.layout import layout_of

QUICK = settings(
    max_examples=3,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
LONG = settings(QUICK, max_examples=slow.examples(20), derandomize=slow.SAME_EXAMPLES)
each_version = pytest.mark.parametrize(
    ("name", "version"), ALL, ids=[f"{name}-v{version}" for name, version in ALL]
)


def check_one(name: str, version: int, data: st.DataObject) -> None:
    """Two codecs, one encoding; what was carried comes back; damaged bytes are judged alike."""
    spec, make = SPECS[name], make_in(name)
    message = data.draw(messages(name, version))
    encoded = encode(message, version)
    assert encoded == interpret.encode(spec, version, message, make)
    expected = carried(spec, layout_of(spec, version), message)
    assert decode(class_of(name), encoded, version) == expected
    assert interpret.decode(spec, version, encoded, make) == expected
    assert encode(expected, version) == encoded
    check_damaged(name, version, data.draw(damaged(encoded)))


@st.composite
def damaged(draw: st.DrawFn, encoded: bytes) -> bytes:
    """Bytes that differ from good ones: some replaced, some cut out, some put in."""
    start = draw(st.integers(0, len(encoded)))
    end = draw(st.integers(start, min(len(encoded), start + 4)))
    return encoded[:start] + draw(st.binary(max_size=5)) + encoded[end:]


def check_damaged(name: str, version: int, data: bytes) -> None:
    """Either both refuse the bytes, or both read the same message, which gives them again."""
    spec, make = SPECS[name], make_in(name)
    try:
        expected = interpret.decode(spec, version, data, make)
    except interpret.InterpretError:
        with pytest.raises(DecodeError):
            decode(class_of(name), data, version)
        return
    message = decode(class_of(name), data, version)
    assert message == expected
    assert decode(class_of(name), encode(message, version), version) == message


@each_version
@QUICK
@given(data=st.data())
def test_generated_and_interpreted_agree(name: str, version: int, data: st.DataObject) -> None:
    check_one(name, version, data)


@pytest.mark.slow
@each_version
@LONG
@given(data=st.data())
def test_generated_and_interpreted_agree_at_length(
    name: str, version: int, data: st.DataObject
) -> None:
    check_one(name, version, data)
