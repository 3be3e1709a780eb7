"""Cancels, znodes and the controller's sequence, with a kill before and after every write.

A row of the requirements is covered by scenarios that do what it is about; each runs in both
profiles, its controller killed before and after each of its writes, and another one takes over.
"""

import json
from collections.abc import Mapping
from dataclasses import replace

import pytest

from klamm.controller.core.ibp import by_name
from klamm.controller.core.ops import ANY_VERSION, Create, SetData
from klamm.controller.core.rules import APACHE_3_9, KIP_455
from klamm.controller.znodes import paths
from klamm.tools.lab import clients
from klamm.tools.lab.apache.crash_points import points, prepare, run
from klamm.tools.lab.apache.outcomes import REQUEST_LOST
from klamm.tools.lab.apache.scenarios import SCENARIOS, Scenario, T
from klamm.tools.lab.apache.stage import Stage

TOPIC = paths.topic(T.topic)
PROFILES = {"apache-3.9": APACHE_3_9, "kip-455": KIP_455}
ORIGIN: Mapping[tuple[int, ...], str] = {(1, 2, 3): "origin"}
CANCEL = clients.cancel(*T)
#: What the next version of the form may have; it survives, like everything unknown.
ODD = {"odd": [1]}


def ask(*target: int) -> clients.AskFor:
    return clients.move(*T, *target)


def write_topic(stage: Stage, **content: object) -> None:
    """Write the topic's znode as another tool or controller would, which leaves it its id."""
    present = json.loads(stage.data(TOPIC) or b"{}")
    kept = {key: present[key] for key in ("version", "topic_id") if key in present}
    data = json.dumps({**kept, **content}).encode()
    stage.world.write("writes the topic", SetData(TOPIC, data, ANY_VERSION))


def start(stage: Stage, broker: int) -> None:
    """Let a broker that was stopped come back."""
    stage.world.brokers[broker].start()


def in_old_form(stage: Stage) -> None:
    write_topic(stage, version=1, partitions={"0": [1, 2, 3]})


def with_odd_keys(stage: Stage) -> None:
    write_topic(stage, partitions={"0": [1, 2, 3]}, **ODD)


def moving_in_snake_case(stage: Stage) -> None:
    """Both spellings; the other one's contradict the rest, and do not count."""
    write_topic(
        stage,
        partitions={"0": [4, 3, 2, 1]},
        adding_replicas={"0": [4]},
        removing_replicas={"0": [1]},
        addingReplicas={"0": [5]},
        removingReplicas={"0": [3]},
    )


def moving_in_camel_case(stage: Stage) -> None:
    write_topic(
        stage,
        partitions={"0": [4, 3, 2, 1]},
        addingReplicas={"0": [4]},
        removingReplicas={"0": [1]},
    )


def order(stage: Stage, *target: int) -> None:
    """Order a move by the admin znode."""
    entry = {"topic": T.topic, "partition": T.partition, "replicas": target}
    data = json.dumps({"version": 1, "partitions": [entry]}).encode()
    stage.world.write("orders a move", Create(paths.REASSIGN_PARTITIONS, data))


MORE = (
    Scenario(
        "cancel of what changes order",
        "[1,2,3] moves to [3,4,2]; a client cancels, and the old order is not promised.",
        (1, 2, 3),
        (lambda stage: stage.stall(4), lambda stage: stage.ask(ask(3, 4, 2))),
        (3, 2, 1),
        {(3, 4, 2): "former target"},
        asks=CANCEL,
    ),
    Scenario(
        "cancel twice",
        "A client cancels, and again at once: there is nothing left to cancel.",
        (1, 2, 3),
        (lambda stage: stage.stall(4, 5), lambda stage: stage.ask(ask(3, 4, 5))),
        (3, 1, 2),
        {(3, 4, 5): "former target"},
        act=lambda stage: stage.ask(CANCEL),
        asks=CANCEL,
    ),
    Scenario(
        "cancel drops the leader",
        "[1,3] moves to [2,3,4]. 2 leads, 3 is in sync, 1 is away; a client cancels.",
        (1, 3),
        (
            lambda stage: stage.stall(4),
            lambda stage: stage.ask(ask(2, 3, 4)),
            lambda stage: stage.stop(1),
            lambda stage: stage.stop(3),
            lambda stage: start(stage, 3),
        ),
        (3, 1),
        {(2, 3, 4): "former target"},
        asks=CANCEL,
    ),
    Scenario(
        "cancel of what alone has the data",
        "[1,2] moves to [3,4]. 3 leads and is in sync, 1 and 2 are away; a client cancels.",
        (1, 2),
        (
            lambda stage: stage.stall(4),
            lambda stage: stage.ask(ask(3, 4)),
            lambda stage: stage.stop(1),
            lambda stage: stage.stop(2),
        ),
        (3, 4),
        {(3, 4): "former target", (1, 2): "origin"},
        asks=CANCEL,
    ),
    Scenario(
        "both spellings",
        "Another controller has written [1,2,3] to [4,3,2] in both spellings; 4 copies all.",
        (1, 2, 3),
        (lambda stage: stage.stall(4), moving_in_snake_case),
        (4, 3, 2),
        ORIGIN,
        act=lambda stage: stage.go_on(4),
    ),
    Scenario(
        "camelCase",
        "Another controller has written [1,2,3] to [4,3,2] in camelCase alone; 4 copies all.",
        (1, 2, 3),
        (lambda stage: stage.stall(4), moving_in_camel_case),
        (4, 3, 2),
        ORIGIN,
        act=lambda stage: stage.go_on(4),
    ),
    Scenario(
        "version 1",
        "The topic's znode has the form of old controllers; a client asks for [4,3,2].",
        (1, 2, 3),
        (in_old_form,),
        (4, 3, 2),
        ORIGIN,
        asks=ask(4, 3, 2),
    ),
    Scenario(
        "unknown keys",
        "The topic's znode has keys that nobody knows; a client asks for [4,3,2].",
        (1, 2, 3),
        (with_odd_keys,),
        (4, 3, 2),
        ORIGIN,
        asks=ask(4, 3, 2),
    ),
    Scenario(
        "order over a move",
        "[1,2,3] moves to [4,2,3] by a client's wish; the admin znode orders [5,2,3].",
        (1, 2, 3),
        (lambda stage: stage.stall(4, 5), lambda stage: stage.ask(ask(4, 2, 3))),
        (5, 2, 3),
        {**ORIGIN, (4, 2, 3): "former target"},
        act=lambda stage: order(stage, 5, 2, 3),
    ),
    Scenario(
        "a kept replica is out of sync",
        "[1,2,3] to [4,3,2] is under way and 3 away; 4 copies all, and 3 returns.",
        (1, 2, 3),
        (
            lambda stage: stage.stall(4),
            lambda stage: stage.ask(ask(4, 3, 2)),
            lambda stage: stage.stop(3),
            lambda stage: stage.go_on(4),
        ),
        (4, 3, 2),
        ORIGIN,
        act=lambda stage: start(stage, 3),
    ),
    Scenario(
        "deletion of what moves",
        "[1,2,3] moves to [4,3,2], and the topic is to be deleted; 4 copies all.",
        (1, 2, 3),
        (
            lambda stage: stage.stall(4),
            lambda stage: stage.ask(ask(4, 3, 2)),
            lambda stage: stage.ask(clients.delete(T.topic)),
        ),
        None,
        ORIGIN,
        act=lambda stage: stage.go_on(4),
    ),
)

#: Where kip-455 ends elsewhere: its order of a move under way is another, and what the admin znode
#: orders counts for more than the API once another controller is there (R455-86).
KIP_ENDS: Mapping[str, tuple[int, ...]] = {
    "cancel": (1, 2, 3),
    "cancel of what changes order": (1, 3, 2),
    "cancel twice": (1, 2, 3),
    "cancel drops the leader": (1, 3),
    "cancel of what alone has the data": (1, 2),
    "replace a znode's order": (4, 5, 3),
    "cancel a znode's order": (1, 2, 3),
}
#: What may be wrong in the end, for that is what the profile is: it cancels what leaves nobody to
#: lead, and keeps the last log (R455-51).
KIP_TROUBLES = {"cancel of what alone has the data": {"leaderless", "stray"}}
#: Where a request that was answered is undone while the entry is there (R455-86).
KIP_OVERRULED = {"cancel a znode's order"}
#: What is refused is not written.
REFUSED = {("cancel of what alone has the data", "apache-3.9")}

#: By number of a row the scenarios that do what it is about.
ROWS: Mapping[int, tuple[str, ...]] = {
    46: ("cancel",),
    47: ("cancel of what changes order",),
    48: ("cancel",),
    49: ("cancel twice",),
    50: ("cancel drops the leader", "replace"),
    51: ("cancel of what alone has the data",),
    52: ("cancel a znode's order",),
    75: ("start", "completion, leader moves"),
    76: ("both spellings", "camelCase"),
    77: ("start", "more replicas"),
    78: ("version 1",),
    79: ("unknown keys",),
    80: ("start", "completion, leader moves"),
    81: ("start", "start by znode"),
    82: ("start", "replace", "cancel", "completion, leader moves", "topic deletion"),
    83: ("start by znode", "order over a move"),
    84: ("start", "replace", "order over a move"),
    85: ("start", "replace"),
    86: ("replace a znode's order", "cancel a znode's order"),
    87: ("replace a znode's order", "cancel a znode's order"),
    88: ("start", "cancel", "cancel of what changes order"),
    89: ("a kept replica is out of sync", "completion, a leaving broker is away"),
    90: ("completion, leader moves", "completion, leader stays", "fewer replicas"),
    91: ("completion, leader moves",),
    92: ("completion, leader moves", "completion of a znode's order"),
    93: ("replace",),
    94: ("start", "more replicas"),
    95: ("deletion of what moves", "topic deletion"),
}
#: Sections 1.5, 1.7 and 1.8 of the requirements: the first and the last row of each.
SECTIONS = ((46, 52), (75, 82), (83, 95))


@pytest.mark.req("R455-109")
def test_every_row_has_a_scenario_and_every_scenario_a_row() -> None:
    rows = {row for first, last in SECTIONS for row in range(first, last + 1)}
    assert set(ROWS) == rows
    assert all(ROWS.values())
    names = [scenario.name for scenario in (*SCENARIOS, *MORE)]
    assert len(set(names)) == len(names)
    assert {name for found in ROWS.values() for name in found} == set(names)
    for extra in (KIP_ENDS, KIP_TROUBLES, KIP_OVERRULED, dict(REFUSED)):
        assert set(extra) <= set(names)


@pytest.mark.req("R455-109")
@pytest.mark.parametrize("profile", ["apache-3.9", pytest.param("kip-455", marks=pytest.mark.slow)])
@pytest.mark.parametrize("scenario", (*SCENARIOS, *MORE), ids=lambda scenario: scenario.name)
def test_it_ends_well_after_a_kill_before_and_after_each_write(
    scenario: Scenario, profile: str
) -> None:
    """And what was promised to a client is there; what was not may be asked for again."""
    ends_well(scenario, profile, "2.4-IV0")


@pytest.mark.slow
@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("scenario", (*SCENARIOS, *MORE), ids=lambda scenario: scenario.name)
def test_it_ends_well_where_topics_have_ids_too(scenario: Scenario, profile: str) -> None:
    ends_well(scenario, profile, "3.9")


def ends_well(scenario: Scenario, profile: str, protocol: str) -> None:
    name, kip = scenario.name, profile == "kip-455"
    if kip:
        scenario = replace(scenario, wanted=KIP_ENDS.get(name, scenario.wanted))
    made = prepare(scenario, "klamm", "klamm", by_name(protocol), PROFILES[profile])
    found = points(scenario, made.copy())
    gaps = [point for point in found if "write of" in point.label]
    assert bool(gaps) == ((name, profile) not in REFUSED)
    assert sum(point.after for point in gaps) * 2 == len(gaps)
    for point in (*gaps, found[-1]):
        stage = made.copy()
        _, end = run(scenario, stage, point)
        troubles = {trouble.partition(" on ")[0] for trouble in end.troubles}
        assert troubles <= (KIP_TROUBLES.get(name, set()) if kip else set()), (point, end)
        assert end.broken == "", (point, end)
        overruled = kip and name in KIP_OVERRULED and end.ends == "former target"
        assert end.ends == "F" or end.client == REQUEST_LOST or overruled, (point, end)
        if end.ends == "F":
            check_form(stage, name, protocol)
    assert end.ends == "F", "nobody is killed before it is done"


def check_form(stage: Stage, name: str, protocol: str) -> None:
    """What the rows of 1.7 say of a topic's znode, whoever has written it last."""
    data = stage.data(TOPIC)
    if data is None:
        return
    topic = json.loads(data)
    assert topic["version"] == (2 if protocol == "2.4-IV0" else 3)
    assert ("topic_id" in topic) == (protocol != "2.4-IV0")
    if name == "unknown keys":
        assert topic["odd"] == ODD["odd"]
