"""Whatever the text: no reader raises, each line is accounted for, and every row fits its table."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pipeline.formats.reading import DATA, EXAMPLES, produced

from klamm.tools.pipeline.formats import FORMATS, Bad, Good
from klamm.tools.pipeline.tables import TABLES

#: Formats whose readers work line by line: each line gives something.
LINEWISE = [
    "klamm-journal",
    "klamm-history",
    "controller-log",
    "state-change-log",
    "metadata-log",
    "kafka-topics",
    "reassign-text",
    "status-answers",
    "prometheus",
    "jmx-csv",
]


@cache
def real_lines(name: str) -> tuple[str, ...]:
    """Return lines that the format has."""
    texts = [path.read_text() for path in sorted(DATA.glob("*/*")) if _is(name, path.name)]
    return tuple(line for text in [*texts, EXAMPLES.get(name, "")] for line in text.splitlines())


def _is(name: str, file: str) -> bool:
    words = {
        "controller-log": "-controller.log",
        "state-change-log": "-state-change.log",
        "metadata-log": "metadata.txt",
        "kafka-topics": "topics-describe",
        "reassign-json": "execute.txt",
        "kafka-log-dirs": "log-dirs.txt",
    }
    texts = file.startswith(("verify", "list"))
    return texts if name == "reassign-text" else name in words and words[name] in file


def check_all(name: str, text: str) -> None:
    """Read the text, and look at what comes."""
    found = produced(text, name)
    rows: dict[str, list[dict[str, Any]]] = {}
    for each in found:
        if isinstance(each, Good):
            rows.setdefault(each.table, []).append(dict(each.row))
        elif isinstance(each, Bad):
            assert each.reason
            assert each.line >= 1
    for table, told in rows.items():
        schema = TABLES[table].schema
        assert all(row.keys() <= set(schema.names) for row in told)
        pa.Table.from_pylist(told, schema=schema)
    if name in LINEWISE:
        lines = text.splitlines()
        seen = {each.row["line"] if isinstance(each, Good) else each.line for each in found}
        assert seen == set(range(1, len(lines) + 1))


@st.composite
def mutated(draw: st.DrawFn, name: str) -> str:
    """A few real lines, each with something cut out, put in or doubled."""
    lines = draw(st.lists(st.sampled_from(real_lines(name)), min_size=1, max_size=6))
    told: list[str] = []
    for line in lines:
        first = draw(st.integers(0, len(line)))
        last = draw(st.integers(first, min(len(line), first + 12)))
        put = draw(
            st.sampled_from(["", "", "9" * 12, "-1", '"', "(", "{", "null", "\t", "\x00", "ü"])
        )
        told.append(line[:first] + put + line[last:])
    return "\n".join(told)


@pytest.mark.parametrize("name", FORMATS)
def test_real_lines_that_were_changed(name: str) -> None:
    @settings(max_examples=25, derandomize=True, database=None)
    @given(mutated(name))
    def check(text: str) -> None:
        check_all(name, text)

    check()


ANY = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "partitions",
                    "topic",
                    "brokers",
                    "path",
                    "data",
                    "version",
                    "result",
                    "/brokers/topics/t",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)


@pytest.mark.parametrize("name", FORMATS)
def test_any_text_at_all(name: str) -> None:
    @settings(max_examples=15, derandomize=True, database=None)
    @given(st.lists(ANY | JSON.map(json.dumps), max_size=4).map("\n".join))
    def check(text: str) -> None:
        check_all(name, text)

    check()


@pytest.mark.parametrize("name", FORMATS)
def test_a_line_of_100_000_characters(name: str) -> None:
    for long in ("(" * 100_000, "[" * 100_000, '{"a":' * 20_000, "a," * 50_000, "] " * 50_000):
        check_all(name, real_lines(name)[0][:40] + long)
