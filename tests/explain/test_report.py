"""What people read, and what scripts do."""

import json
from dataclasses import replace

from explain.facts import ALIVE, MOVE, T0, facts

from klamm.tools.admin import TopicPartition
from klamm.tools.explain.commands import Commands
from klamm.tools.explain.diagnose import diagnose
from klamm.tools.explain.facts import Facts, Partition
from klamm.tools.explain.report import as_json, lines

HERE = Commands("h:9")


def several() -> Facts:
    """A move to a dead broker, one that copies, a debt, and a partition without anything."""
    what = facts(MOVE, {1: 1000}, {1: 1000}, alive=ALIVE - {3})
    others = {
        T0: replace(MOVE, original=(2, 1)),
        TopicPartition("u", 0): Partition((1, 2), (2,), leader=1, isr=(1,), moving=True),
        TopicPartition("v", 0): Partition((1, 2), leader=1, isr=(1, 2), owed_deletes=(3,)),
        TopicPartition("w", 0): Partition((1,), leader=1, isr=(1,)),
    }
    return replace(
        what, last=replace(what.last, partitions=others, answered=frozenset()), unseen=("why",)
    )


def test_the_lines() -> None:
    what = several()
    plan = """'{"version":1,"partitions":[{"topic":"t","partition":0,"replicas":[1,3]}]}'"""
    tool = "klamm reassign --bootstrap-server h:9 --cancel --preserve-throttles"
    assert [*lines(what, diagnose(what, HERE))] == [
        "t-0: 2, 1 -> 1, 3; 1 leads, in sync 1, 2: stuck",
        "  target-offline: broker 3, which is to get a replica, is not in the cluster",
        "    what to do: start broker 3, or take the move back:",
        f"      echo {plan} | {tool} --reassignment-json-file /dev/stdin",
        "u-0: 1 -> 1, 2; 1 leads, in sync 1: waiting",
        "  out-of-sync: broker 2 is not in sync; its log or the leader's could not be seen",
        "v-0: on 1, 2; 1 leads, in sync 1, 2: not moving",
        "  owes-deletes: broker 3 has not confirmed that its replica is gone",
        "    what to do: it is deleted once broker 3 is back",
        "w-0: on 1; 1 leads, in sync 1: not moving",
        "not seen: why",
        "2 moves: 1 stuck, 1 waiting; 1 more with something to tell.",
    ]


def test_the_object_has_all_of_it() -> None:
    what = several()
    found = json.loads(json.dumps(as_json(what, diagnose(what, HERE))))
    assert {key: found[key] for key in ("moves", "stuck", "waiting", "going_on", "unseen")} == {
        "moves": 2,
        "stuck": 1,
        "waiting": 1,
        "going_on": 0,
        "unseen": ["why"],
    }
    states = {each["topic"]: each["state"] for each in found["partitions"]}
    assert states == {"t": "stuck", "u": "waiting", "v": "not moving", "w": "not moving"}
    [finding] = found["partitions"][0]["findings"]
    assert finding["severity"] == "stuck"
    assert finding["evidence"] == {"isr": [1, 2], "alive": [1, 2, 4]}
    assert len(finding["commands"]) == 1


def test_those_that_are_alike_are_told_once() -> None:
    what = several()
    names = [TopicPartition("v", number) for number in (0, 1, 2, 3, 5)]
    one = what.last.partitions[names[0]]
    others = {name: replace(one, replicas=(2, 1)) for name in names[1:]}
    more = replace(what, last=replace(what.last, partitions={**what.last.partitions, **others}))
    told = [*lines(more, diagnose(more, HERE))]
    plain = [*lines(what, diagnose(what, HERE))]
    at = plain.index("w-0: on 1; 1 leads, in sync 1: not moving")
    assert told[:at] == plain[:at]
    assert told[at] == "  and 4 more: v-1 to v-3, v-5"
    assert told[at + 1 : -1] == plain[at:-1]
    assert told[-1].endswith("; 5 more with something to tell.")
    assert len(as_json(more, diagnose(more, HERE))["partitions"]) == 8, "scripts see each"
