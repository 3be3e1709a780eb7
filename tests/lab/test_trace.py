"""Traces: text that a person can follow, the same for the same run in every process."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from uuid import UUID

import pytest

from klamm.controller.core.ops import ANY_VERSION, Check, Create, Delete, SetData
from klamm.controller.znodes import paths
from klamm.protocol.generated.stop_replica_request import StopReplicaRequest, StopReplicaTopicV1
from klamm.tools.lab import clients, telling
from klamm.tools.lab.choices import Enumerator, PassedOver
from klamm.tools.lab.events import Content, Happened, Violation, ZnodeChange
from klamm.tools.lab.invariants import rule
from klamm.tools.lab.scope import Scope
from klamm.tools.lab.trace import Header, not_all_possible, render
from klamm.tools.lab.world import World

SCOPE = Scope("a move", "One partition moves.", topics={"t": {0: (1, 2)}})


def moved() -> World:
    world = World(SCOPE, Enumerator())
    world.ask("n1", clients.move("t", 0, 2, 3))
    world.settle()
    world.advance(5)
    world.write("orders what is gone", Create(paths.REASSIGN_PARTITIONS, b'{"partitions":7}'))
    world.do("crash n1")
    return world


@cache
def trace() -> str:
    header = Header(SCOPE.name, "F99", "17", "klamm lab replay 17")
    broken = Violation("I3", 4, "t-0 ended elsewhere", ("was there", "is here"))
    return render(moved().events, header, broken)


def test_a_trace_says_what_was_run_and_what_came_of_it() -> None:
    lines = trace().splitlines()
    assert lines[:4] == [
        "scope    a move",
        "variant  F99",
        "seed     17",
        "replay   klamm lab replay 17",
    ]
    assert lines[-5:] == [
        "verdict  I3 does not hold since step 4",
        f"         the rule: {rule('I3')}",
        "         t-0 ended elsewhere",
        "           was there",
        "           is here",
    ]
    assert render([], Header("none")).endswith("verdict  every invariant held\n")
    assert "variant  none: the product" in render([], Header("none"))


def test_a_trace_tells_the_story_of_a_move() -> None:
    story = iter(line.strip() for line in trace().splitlines())
    for expected in (
        "step 1            1 s  client asks n1: move t-0 to 2,3",
        "client    (1) asks n1: move t-0 to 2,3",
        "wants       set /brokers/topics/t v0",
        "znode     /brokers/topics/t v0 -> v1, by n1",
        "znode       partitions.0: [1,2] -> [2,3,1]",
        "znode       adding_replicas.0: - -> [3]",
        "znode       removing_replicas.0: - -> [1]",
        "wire        t-0 leader 1 epoch 1 isr [1,2] v1 R [2,3,1] AR [3] RR [1] isNew",
        "client    (1) is answered by n1: move t-0 to 2,3",
        "znode     /brokers/topics/t/partitions/0/state v1 -> v2, by b1",
        "znode       isr: [1,2] -> [1,2,3]",
        "znode       leader_epoch: 1 -> 2",
        "wire        t-0 delete",
        "znode     /admin/reassign_partitions made, by a tool",
    ):
        assert expected in story, expected


def test_a_fault_is_marked() -> None:
    (line,) = [line for line in trace().splitlines() if "crash n1" in line]
    assert line.endswith("crash n1  <-- FAULT")
    assert not any("FAULT" in line for line in trace().splitlines() if " turn" in line)


@pytest.mark.parametrize("seed", ["0", pytest.param("1", marks=pytest.mark.slow)])
def test_the_same_run_gives_the_same_bytes_in_another_process(seed: str) -> None:
    command = "from lab.test_trace import trace; import sys; sys.stdout.write(trace())"
    tests = os.path.dirname(os.path.dirname(__file__))
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": tests}
    done = subprocess.run(
        [sys.executable, "-c", command], env=environment, capture_output=True, check=True
    )
    assert done.stdout.decode() == trace()


def test_no_line_of_a_trace_is_endless_or_shows_an_address() -> None:
    for line in trace().splitlines():
        assert len(line) <= 200, line
        assert " object at 0x" not in line


def test_what_every_connection_begins_with_is_one_line_each() -> None:
    world = World(SCOPE, Enumerator())
    world.do("crash n1")
    world.do("start n1")
    world.settle()
    shown, whole = (
        render(world.events, Header("x"), whole=each).splitlines() for each in (False, True)
    )
    for begin, end in (
        ("wants     updates ", ": create 21 znodes, /consumers to /klamm/original_order"),
        ("given     updates ", ": NODEEXISTS, each of 21"),
    ):
        told = [line.strip() for line in shown if line.strip().startswith(begin)]
        assert [line for line in told if line.endswith(end)], told
        assert not any(begin in line for line in whole)
    alike = ("create /", "conflict at operation 0, NODEEXISTS")
    single = [line for line in whole if any(each in line for each in alike)]
    kept = [line for line in shown if any(each in line for each in alike)]
    assert len(single) - len(kept) == 2 * 21
    assert [line for line in whole if line in kept] == kept


def test_the_same_again_of_which_nothing_is_told_is_one_line() -> None:
    def passes(step: int) -> Happened:
        return Happened(step, step / 2, "time", "time passes")

    events = [passes(1), passes(2), passes(3), Happened(4, 1.5, "n1", "n1 turn"), passes(5)]
    events += [Happened(at, 2.5, "freeze", "freeze n1", fault=True) for at in (6, 7)]
    assert render(events, Header("x")).splitlines()[3:-2] == [
        "step 1-3        1.5 s  time passes, 3 times",
        "step 4          1.5 s  n1 turn",
        "step 5          2.5 s  time passes",
        "step 6          2.5 s  freeze n1  <-- FAULT",
        "step 7          2.5 s  freeze n1  <-- FAULT",
    ]
    assert len(render(events, Header("x"), whole=True).splitlines()) == 3 + 7 + 2


def test_what_is_not_possible_is_told_at_its_place() -> None:
    events = [Happened(step, 1.0, "time", "time passes") for step in (1, 2, 3)]
    missed = [PassedOver(2, "b1 answers n1"), PassedOver(4, "  gap: 1")]
    assert render(events, Header("x"), passed_over=missed).splitlines()[3:-2] == [
        "step 1            1 s  time passes",
        "                       not possible: b1 answers n1",
        "step 2-3          1 s  time passes, 2 times",
        "                       not possible: gap: 1",
    ]
    assert list(not_all_possible(missed, 9)) == [
        "script   2 of 9 lines were not possible, the first before step 2: b1 answers n1"
    ]
    assert list(not_all_possible((), 9)) == []


# --- words ----------------------------------------------------------------------------------------


def change(before: bytes | None, after: bytes | None) -> list[str]:
    was = None if before is None else Content(before, 3, 0)
    now = None if after is None else Content(after, 4, 0)
    return list(telling.znode(ZnodeChange("/z", was, now, 0, 1), "n1"))


def test_only_what_has_changed_of_a_znode_is_told() -> None:
    assert change(b'{"a":1,"b":{"c":[1,2],"d":2}}', b'{"a":1,"b":{"c":[2,1],"e":{}}}') == [
        "/z v3 -> v4, by n1",
        "  b.c: [1,2] -> [2,1]",
        "  b.d: 2 -> -",
    ]


def test_a_znode_may_be_no_json_or_go() -> None:
    assert change(b"1", b"\xff{") == ["/z v3 -> v4, by n1", "  data: 1 -> \\xff{"]
    assert change(None, b'{"a":1}') == ["/z made, by n1", "  a: 1"]
    assert change(b"1", None) == ["/z removed, by n1"]
    ephemeral = ZnodeChange("/e", None, Content(None, 0, 5), 5, 1)
    assert list(telling.znode(ephemeral, "n1")) == ["/e made, until session 5 ends, by n1"]


def test_long_values_are_cut_and_sets_are_sorted() -> None:
    assert telling.short("a" * 500, 10) == "aaaaaaa..."
    assert telling.short("two\n lines") == "two lines"
    assert telling.value(frozenset((3, 1, 2))) == "[1,2,3]"


@dataclass
class Sample:
    a: int
    b: str = "default"
    c: UUID | None = None


def test_a_value_says_what_differs_from_its_default() -> None:
    assert telling.value(Sample(1)) == "Sample(a 1)"
    assert telling.value(Sample(1, "x", UUID(int=0))) == f"Sample(a 1, b x, c {UUID(int=0)})"
    assert telling.value({"k": (None, True)}) == "{k: [-,True]}"
    assert telling.value(object()) == "object"


def test_stops_and_operations_are_told() -> None:
    stop = StopReplicaRequest(
        901, controller_epoch=4, delete_partitions=True, topics=(StopReplicaTopicV1("t", (0, 2)),)
    )
    assert list(telling.message(stop)) == [
        "controller epoch 4, broker epoch -1",
        "t-0 delete",
        "t-2 delete",
    ]
    assert [
        telling.operation(op)
        for op in (
            Check("/a", 1),
            Create("/b", None, ephemeral=True),
            SetData("/c", b"", ANY_VERSION),
            Delete("/d", 7),
        )
    ] == ["check /a v1", "create /b ephemeral", "set /c any version", "delete /d v7"]


def test_a_step_in_which_nothing_is_said_has_one_line() -> None:
    text = render([Happened(1, 0.5, "time", "time passes")], Header("x"))
    assert text.splitlines()[3:-2] == ["step 1          0.5 s  time passes"]
