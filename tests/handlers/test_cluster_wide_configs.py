"""The configs that hold for the whole cluster alone: set, shown and refused by 32, 33 and 44."""

from dataclasses import replace
from pathlib import Path

import pytest
from handlers.test_alter_configs import replace as replace_all
from handlers.test_configs import (
    BROKER,
    DEFAULT_PATH,
    DELETE,
    OWN_PATH,
    SET,
    alter,
    by_name,
    configs,
    describe,
    node,
    seen,
    world,
)
from handlers.worlds import NODE

from klamm.controller.configs.cluster_wide import (
    CLUSTER_WIDE,
    LEADER_MOVEMENTS,
    PARTITION_MOVEMENTS,
    REPLICA_MOVEMENTS,
    START_UP_SYNONYMS,
    STATUS_RETENTION,
    ClusterWide,
)
from klamm.controller.core.pace import UNLIMITED
from klamm.controller.runtime.keys import config_from

INT, LONG = 3, 5
Changes = list[tuple[str, int, str | None]]
NEEDED = {"node.id": str(NODE), "zookeeper.connect": "zk:2181"}

LIMITS = [
    pytest.param(REPLICA_MOVEMENTS, marks=pytest.mark.req("R435-1")),
    pytest.param(PARTITION_MOVEMENTS, marks=pytest.mark.req("R435-2")),
    pytest.param(LEADER_MOVEMENTS, marks=pytest.mark.req("R435-3")),
]
ALL = [*LIMITS, pytest.param(STATUS_RETENTION, marks=pytest.mark.req("R179B-47"))]


@pytest.mark.parametrize("name", ALL)
def test_it_is_shown_with_type_and_default(name: str) -> None:
    found = by_name(describe(world(), BROKER, str(NODE), synonyms=True, documentation=True))[name]
    default, kind = ("86400000", LONG) if name == STATUS_RETENTION else ("2147483647", INT)
    assert (found.value, found.config_source, found.config_type) == (default, 5, kind)
    assert seen(found) == [(name, default, 5)]
    assert (found.read_only, found.is_sensitive) == (False, False)
    assert found.documentation is not None
    importance = "low" if name == STATUS_RETENTION else "medium"
    assert f"Importance: {importance}." in found.documentation


@pytest.mark.req("R435-4")
@pytest.mark.parametrize("name", ALL)
def test_it_is_set_for_all_brokers_shown_and_taken_back(name: str) -> None:
    znodes, at = world(), node()
    at = replace(at, properties={name: "9"})
    assert alter(znodes, [(name, SET, "3")], BROKER, "").error_code == 0
    assert configs(znodes, DEFAULT_PATH) == {name: "3"}
    assert znodes.notices() == [b'{"version":2,"entity_path":"brokers/<default>"}']
    default = CLUSTER_WIDE[name].default
    found = by_name(describe(znodes, BROKER, str(NODE), at=at, synonyms=True))[name]
    assert (found.value, found.config_source) == ("3", 3)
    assert seen(found) == [(name, "3", 3), (name, "9", 4), (name, default, 5)]
    shared = by_name(describe(znodes, BROKER, "", at=at, synonyms=True))
    assert shared.keys() == {name}
    assert seen(shared[name]) == [(name, "3", 3)]
    assert alter(znodes, [(name, DELETE, None)], BROKER, "").error_code == 0
    assert configs(znodes, DEFAULT_PATH) == {}
    found = by_name(describe(znodes, BROKER, str(NODE), at=at, synonyms=True))[name]
    assert (found.value, found.config_source) == ("9", 4)


@pytest.mark.req("R435-4")
@pytest.mark.parametrize("name", ALL)
def test_the_older_request_sets_it_too(name: str) -> None:
    znodes = world(default={"log.retention.ms": "5"})
    assert replace_all(znodes, BROKER, "", {name: "3"}).error_code == 0
    assert configs(znodes, DEFAULT_PATH) == {name: "3"}


@pytest.mark.req("R435-5")
@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("value", ["-1", "", "two", "1.5", "9223372036854775808"])
def test_what_is_no_such_number_is_refused_and_not_stored(name: str, value: str) -> None:
    znodes = world()
    for result in (
        alter(znodes, [(name, SET, value)], BROKER, ""),
        alter(znodes, [(name, SET, value)], BROKER, "", dry=True),
        replace_all(znodes, BROKER, "", {name: value}),
    ):
        assert result.error_code == 40
        text = f"Invalid value {value} for configuration {name}: "
        assert (result.error_message or "").startswith(text)
    assert znodes.ops == []


@pytest.mark.req("R435-5")
@pytest.mark.parametrize("name", LIMITS)
def test_a_limit_is_1_at_least(name: str) -> None:
    znodes = world()
    result = alter(znodes, [(name, SET, "0")], BROKER, "")
    assert result.error_code == 40
    text = f"Invalid value 0 for configuration {name}: Value must be at least 1"
    assert result.error_message == text
    assert alter(znodes, [(name, SET, "2147483648")], BROKER, "").error_code == 40
    assert znodes.ops == []
    assert alter(znodes, [(name, SET, "2147483647")], BROKER, "").error_code == 0


def test_status_may_be_kept_for_no_time() -> None:
    assert alter(world(), [(STATUS_RETENTION, SET, "0")], BROKER, "").error_code == 0


@pytest.mark.req("R435-6")
def test_on_one_broker_it_is_refused() -> None:
    znodes = world()
    several: Changes = [(LEADER_MOVEMENTS, SET, "1"), ("log.retention.ms", SET, "5")]
    both: Changes = [(PARTITION_MOVEMENTS, SET, "1"), (LEADER_MOVEMENTS, SET, "x")]
    refused = "Cannot update these configs at broker level: "
    result = alter(znodes, several, BROKER, str(NODE))
    assert (result.error_code, result.error_message) == (40, f"{refused}[{LEADER_MOVEMENTS}]")
    result = alter(znodes, both, BROKER, str(NODE))
    names = f"[{LEADER_MOVEMENTS}, {PARTITION_MOVEMENTS}]"
    assert (result.error_code, result.error_message) == (40, refused + names)
    older = replace_all(znodes, BROKER, str(NODE), {LEADER_MOVEMENTS: "1"})
    assert (older.error_code, older.error_message) == (40, f"{refused}[{LEADER_MOVEMENTS}]")
    assert znodes.ops == []


@pytest.mark.req("R435-6")
def test_what_another_tool_has_stored_on_one_broker_can_be_deleted() -> None:
    znodes = world(own={LEADER_MOVEMENTS: "1", "log.retention.ms": "5"})
    assert alter(znodes, [(LEADER_MOVEMENTS, DELETE, None)], BROKER, str(NODE)).error_code == 0
    assert configs(znodes, OWN_PATH) == {"log.retention.ms": "5"}


@pytest.mark.req("R435-7")
@pytest.mark.parametrize("synonym", START_UP_SYNONYMS)
def test_a_start_up_synonym_is_shown_by_the_main_name_alone(synonym: str) -> None:
    properties = config_from({**NEEDED, synonym: " 4 "}).properties
    found = by_name(describe(world(), BROKER, str(NODE), at=replace(node(), properties=properties)))
    main = START_UP_SYNONYMS[synonym]
    assert (found[main].value, found[main].config_source) == ("4", 4)
    assert not START_UP_SYNONYMS.keys() & found.keys()


def test_the_interval_of_status_writes_and_switches_are_read_at_the_start_alone() -> None:
    found = by_name(describe(world(), BROKER, str(NODE)))
    interval = found["klamm.kip179.status.write.interval.ms"]
    assert (interval.value, interval.config_type, interval.read_only) == ("1000", INT, True)
    for switch in ("klamm.kip435.list.v1", "klamm.kip179.alter", "klamm.kip179.assign"):
        assert (found[f"{switch}.enable"].value, found[f"{switch}.enable"].read_only) == (
            "false",
            True,
        )
        assert alter(world(), [(f"{switch}.enable", SET, "true")], BROKER, "").error_code == 42


@pytest.mark.req("R435-11", "R455-107")
def test_by_default_nothing_is_limited_and_the_readme_says_what_is_left_to_later_work() -> None:
    movements = (REPLICA_MOVEMENTS, PARTITION_MOVEMENTS, LEADER_MOVEMENTS)
    assert {CLUSTER_WIDE[name].default for name in movements} == {str(UNLIMITED)}
    assert ClusterWide().limits.none
    readme = " ".join((Path(__file__).parents[2] / "README.md").read_text().split())
    assert "KIP-435 leaves lower defaults to later work" in readme
    assert "version 1 of ListPartitionReassignments names the steps that run" in readme
