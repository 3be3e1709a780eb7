"""What a file is, by its text."""

from __future__ import annotations

import pytest
from pipeline.formats.reading import DATA, EXAMPLES, produced

from klamm.tools.pipeline.formats import FORMATS, AmbiguousError, candidates, recognise

FILES = {
    "-controller.log": "controller-log",
    "-state-change.log": "state-change-log",
    "metadata.txt": "metadata-log",
    "describe": "kafka-topics",
    "execute": "reassign-json",
    "generate": "reassign-json",
    "list": "reassign-text",
    "verify": "reassign-text",
    "log-dirs": "kafka-log-dirs",
}


@pytest.mark.parametrize("path", sorted(DATA.glob("kafka-*/*")), ids=lambda path: path.name)
def test_kafkas_own(path: object) -> None:
    name = str(path).removeprefix(str(DATA))
    [expected] = {format_ for word, format_ in FILES.items() if word in name}
    text = (DATA / name.lstrip("/")).read_text()
    for head in (text, text[:2000], "\ufeff" + text.replace("\n", "\r\n")):
        found = recognise(name, head)
        assert found is not None
        assert found.name == expected


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_others(name: str) -> None:
    assert [each.name for each in candidates("file", EXAMPLES[name])] == [name]


def test_each_format_is_recognised_by_some_text() -> None:
    assert set(FORMATS) == set(FILES.values()) | set(EXAMPLES)


def test_what_may_be_either_is_asked_for() -> None:
    both = (DATA / "kafka-3.9.1/broker0-controller.log").read_text()[:3000]
    both += (DATA / "kafka-3.9.1/broker0-state-change.log").read_text()[:3000]
    assert recognise("server.log", both) is None
    with pytest.raises(AmbiguousError, match=r"controller-log, state-change-log: name one"):
        produced(both, name="server.log")
    with pytest.raises(AmbiguousError, match=r"is of no known format; known are klamm-journal"):
        produced("Dear reader", name="letter")
