"""Whose throttle it is, by table and by property: what others have set outlives a plan."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from klamm.controller.configs.throttle_keys import FOLLOWER_LIST, FOLLOWER_RATE
from klamm.tools.admin import ConfigResource, ResourceType
from klamm.tools.reassign.output import CommandError
from klamm.tools.reassign.ownership import (
    Owned,
    Owner,
    Setting,
    beside,
    claim,
    parse,
    release,
    serialize,
)
from klamm.tools.reassign.throttles import LONGEST_VALUE

LIST = Setting(ConfigResource(ResourceType.TOPIC, "t"), FOLLOWER_LIST)
RATE = Setting(ConfigResource(ResourceType.BROKER, "1"), FOLLOWER_RATE)
LONG = ",".join(f"{number}:1" for number in range(LONGEST_VALUE // 5))


@pytest.mark.parametrize(
    ("setting", "before", "ours", "during"),
    [
        (RATE, None, "700", "700"),
        (RATE, "5000", "700", "700"),
        (LIST, None, "0:1,0:2", "0:1,0:2"),
        (LIST, "5:9", "0:1", "5:9,0:1"),
        (LIST, "5:9,0:1", "0:1,0:2", "5:9,0:1,0:2"),
        (LIST, "*", "0:1", "*"),
        (LIST, "5:9", "*", "*"),
        (LIST, "a:9", LONG, "*"),
    ],
)
def test_everything_is_as_before_in_the_end(
    setting: Setting, before: str | None, ours: str, during: str
) -> None:
    now = {} if before is None else {setting: before}
    to_set, record = claim({}, now, {setting: ours})
    assert to_set == {setting: during}
    back = release(record, to_set, [setting])
    assert back.values.get(setting, during) == before
    assert back.done == {setting}


def test_the_same_plan_with_another_rate_remembers_what_was_there_at_first() -> None:
    _, first = claim({}, {RATE: "5000"}, {RATE: "700"})
    _, second = claim(first, {RATE: "700"}, {RATE: "900"})
    assert second == {RATE: Owned("5000", "900")}
    _, others = claim(second, {RATE: "1234"}, {RATE: "900"})
    assert others == {RATE: Owned("1234", "900")}


def test_what_others_change_meanwhile_is_theirs() -> None:
    _, record = claim({}, {LIST: "5:9"}, {RATE: "700", LIST: "0:1"})
    back = release(record, {RATE: "1234", LIST: "0:1,6:6"}, [RATE, LIST])
    assert back.values == {LIST: "6:6"}
    assert back.kept == {RATE: "1234", LIST: "6:6"}
    assert release(record, {}, [RATE, LIST]).values == {RATE: None, LIST: None}


@pytest.mark.parametrize("before", [{}, {RATE: "5000", LIST: "5:9"}])
def test_what_a_broker_does_not_show_yet_is_taken_back_all_the_same(
    before: dict[Setting, str],
) -> None:
    _, record = claim({}, before, {RATE: "700", LIST: "0:1"})
    back = release(record, before, [RATE, LIST])
    assert back.values == {RATE: before.get(RATE), LIST: before.get(LIST)}
    assert back.done == {RATE, LIST}


def test_what_the_tool_has_not_set_stays() -> None:
    back = release({}, {RATE: "1234"}, [RATE, LIST])
    assert (back.values, back.done, back.kept) == ({}, frozenset(), {RATE: "1234"})


ENTRIES = st.lists(
    st.sampled_from(["0:1", "0:2", "1:1", "1:2", "2:2"]), unique=True, max_size=5
).map(",".join)


@given(ENTRIES, st.lists(ENTRIES.filter(bool), min_size=1, max_size=4))
def test_others_entries_outlive_any_number_of_runs(before: str, plans: list[str]) -> None:
    now = {LIST: before} if before else {}
    record: dict[Setting, Owned] = {}
    for plan in plans:
        to_set, claimed = claim(record, now, {LIST: plan})
        record, now = dict(claimed), to_set
        assert {*plan.split(",")} <= {*now[LIST].split(",")}
        assert {*filter(None, before.split(","))} <= {*now[LIST].split(",")}
    back = release(record, now, [LIST])
    left = back.values.get(LIST, now[LIST])
    assert {*filter(None, (left or "").split(","))} == {*filter(None, before.split(","))}


def test_a_record_reads_as_it_was_written() -> None:
    record = {RATE: Owned(None, "700"), LIST: Owned("5:9", "0:1")}
    assert parse(serialize(record)) == record


@pytest.mark.parametrize(
    "text", ["", "[]", '{"version": 2}', '{"version": 1}', '{"version": 1, "throttles": [["X"]]}']
)
def test_what_is_no_record_is_left_alone(tmp_path: Path, text: str) -> None:
    file = beside(tmp_path / "plan.json")
    assert file.name == "plan.throttles.json"
    file.write_text(text)
    with pytest.raises(CommandError, match=r"is no record of throttles .*move it away"):
        Owner(file, print)
    assert file.read_text() == text


def test_a_record_needs_a_plan_in_a_file(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"is none: save the plan first"):
        beside(tmp_path)
    folder = tmp_path / "dev"
    folder.mkdir()
    (tmp_path / "plan.json").touch()
    (folder / "stdin").symlink_to(tmp_path / "plan.json")
    assert beside(folder / "stdin") == tmp_path / "plan.throttles.json"
