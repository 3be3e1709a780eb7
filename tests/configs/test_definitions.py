"""The tables and the rules of values against what Kafka 3.9.1's own classes say.

The files beside this one were printed by LogConfig, ServerTopicConfigSynonyms and DynamicConfig of
3.9.1; in values.tsv a blank of a value is written as ~.
"""

import csv
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from klamm.controller.configs.broker_keys import (
    DYNAMIC,
    PER_BROKER,
    PER_LISTENER,
    SHOWN,
    STATIC_NAMES,
    definition,
)
from klamm.controller.configs.cluster_wide import CLUSTER_WIDE
from klamm.controller.configs.topic_keys import TOPIC_KEYS
from klamm.controller.configs.values import (
    VERSIONS,
    InvalidValueError,
    Kind,
    java_double,
    parse,
    show,
)
from klamm.controller.core import ibp


def rows(file: str) -> list[dict[str, str]]:
    with Path(__file__).with_name(file).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def test_the_topic_configs_are_kafkas() -> None:
    ours = [
        {
            "name": key.name,
            "type": key.kind.name,
            "default": key.default,
            "synonym": key.synonym or "",
        }
        for key in TOPIC_KEYS.values()
    ]
    assert ours == rows("topic_keys.tsv")


def test_the_dynamic_broker_configs_are_kafkas() -> None:
    theirs = {row["name"]: (row["type"], row["default"]) for row in rows("dynamic_broker_keys.tsv")}
    # Where a default depends on the machine or its order means nothing, Kafka's is not copied.
    free = {"listener.security.protocol.map", "ssl.keymanager.algorithm", "principal.builder.class"}
    ours = {
        name: (key.kind.name, "<null>" if key.default is None else key.default)
        for name, key in DYNAMIC.items()
        if name not in CLUSTER_WIDE
    }
    assert ours.keys() == theirs.keys()
    assert {name: each for name, each in ours.items() if name not in free} == {
        name: each for name, each in theirs.items() if name not in free
    }


@pytest.mark.parametrize("row", rows("values.tsv"), ids=lambda row: f"{row['name']}={row['value']}")
def test_a_value_is_taken_or_refused_in_kafkas_words(row: dict[str, str]) -> None:
    key = TOPIC_KEYS.get(row["name"]) or DYNAMIC[row["name"]]
    try:
        key.read(row["value"].replace("~", " "))
    except InvalidValueError as error:
        assert str(error) == row["answer"]
    else:
        assert row["answer"] == "ok"


def test_the_names_of_a_broker_are_dynamic_or_static() -> None:
    assert not DYNAMIC.keys() & STATIC_NAMES
    assert PER_LISTENER < PER_BROKER < DYNAMIC.keys()
    assert SHOWN.keys() <= DYNAMIC.keys() | STATIC_NAMES
    assert len(STATIC_NAMES) == 239 + 11  # Kafka's, and klamm's own


@pytest.mark.parametrize("name", sorted({*DYNAMIC, *STATIC_NAMES}))
def test_every_broker_config_has_a_type_and_a_default_that_is_valid(name: str) -> None:
    key = definition(name)
    assert key is not None
    assert key.kind is not Kind.UNKNOWN
    if key.default is not None:
        assert key.shown(key.default) == show(key.read(key.default)) == key.default


@pytest.mark.parametrize("name", TOPIC_KEYS)
def test_every_topic_config_has_a_sentence_and_a_default_that_is_valid(name: str) -> None:
    key = TOPIC_KEYS[name]
    assert key.default is not None
    assert show(key.read(key.default)) == key.default
    assert key.doc is not None
    assert key.doc.endswith(".")


def test_a_listeners_config_is_that_without_its_prefix() -> None:
    key = definition("listener.name.internal.ssl.keystore.password")
    assert key is not None
    assert key.kind is Kind.PASSWORD
    assert definition("listener.name.internal.nosuch") is None
    assert definition("nosuch") is None


def test_the_versions_are_those_that_a_node_can_be_told() -> None:
    assert len(VERSIONS) == len(set(VERSIONS))
    assert VERSIONS[0] == "0.8.0"
    assert VERSIONS[-1] == "4.0-IV1"
    assert {each.name for each in ibp.KNOWN} <= set(VERSIONS)


#: What Python's own parsers fall over, in pieces.
HOSTILE = st.lists(
    st.sampled_from(["-", "+", "0" * 5_000, "9" * 5_000, "0x", "1", ".", "p", "e", "f", ":", "*"])
    | st.text(max_size=3),
    max_size=5,
).map("".join)


@given(st.sampled_from(sorted({*DYNAMIC, *TOPIC_KEYS})), HOSTILE)
def test_any_text_is_a_value_or_refused_as_none(name: str, text: str) -> None:
    key = TOPIC_KEYS.get(name) or DYNAMIC[name]
    with suppress(InvalidValueError):
        key.read(text)
    assert isinstance(key.shown(text), str)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (Kind.INT, "0" * 5_000 + "7", 7),
        (Kind.LONG, "-" + "0" * 5_000, 0),
        (Kind.LONG, "-" + "0" * 5_000 + "7", -7),
        (Kind.DOUBLE, "0x1p99999", float("inf")),
        (Kind.DOUBLE, "-0x1p99999d", float("-inf")),
        (Kind.DOUBLE, "0x1p-99999", 0.0),
        (Kind.DOUBLE, "9" * 5_000, float("inf")),
    ],
)
def test_numbers_that_java_reads_though_python_would_not(
    kind: Kind, text: str, value: float
) -> None:
    assert parse("x", kind, text) == value


@given(st.floats())
def test_a_double_is_read_back_as_itself(number: float) -> None:
    shown = java_double(number)
    assert parse("x", Kind.DOUBLE, shown) == number or number != number
    assert "inf" not in shown
    assert "nan" not in shown


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (0.001, "0.001"),
        (0.0001, "1.0E-4"),
        (9999999.0, "9999999.0"),
        (12345678.5, "1.23456785E7"),
        (1.7976931348623157e308, "1.7976931348623157E308"),
        (float("nan"), "NaN"),
        (float("-inf"), "-Infinity"),
    ],
)
def test_a_double_is_written_as_java_does(number: float, shown: str) -> None:
    assert java_double(number) == shown


@given(st.sampled_from([kind for kind in Kind if kind is not Kind.UNKNOWN]), st.text())
def test_any_text_is_a_value_or_refused(kind: Kind, text: str) -> None:
    try:
        value = parse("x", kind, text)
    except InvalidValueError as error:
        assert str(error).startswith(f"Invalid value {text} for configuration x: ")
    else:
        assert parse("x", kind, show(value)) == value or value != value
