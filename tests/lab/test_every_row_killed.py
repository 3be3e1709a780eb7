"""Cancels, znodes and the controller's sequence, with a kill before and after every write.

A row of the requirements is covered by scenarios that do what it is about; each runs in both
profiles, its controller killed before and after each of its writes, and another one takes over.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest

from klamm.controller.core.ibp import by_name
from klamm.controller.core.ops import ANY_VERSION, SetData
from klamm.controller.core.rules import APACHE_3_9, KIP_455
from klamm.controller.node.effects import Commit
from klamm.controller.znodes import paths
from klamm.tools.lab import clients
from klamm.tools.lab.apache.crash_points import points, prepare, run
from klamm.tools.lab.apache.outcomes import REQUEST_LOST
from klamm.tools.lab.apache.report import trouble_of
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
    """Write the topic's znode as another tool or controller would."""
    data = json.dumps({"version": 2, **content}).encode()
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
        {(1, 2): "origin"},
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
