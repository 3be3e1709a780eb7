"""controller.log and state-change.log: those of a real controller, and the older words."""

from __future__ import annotations

from collections import Counter
from zoneinfo import ZoneInfo

import pytest
from pipeline.formats.reading import faults, fixture, one, passed, produced, rows

STATE, CONTROLLER = "state-change-log", "controller-log"
HEAD = "[2026-01-14 10:00:00,000] "
CLASS = " (kafka.controller.KafkaController)"


def line(message: str, level: str = "INFO") -> str:
    return f"{HEAD}{level} [Controller id=1] {message}{CLASS}\n"


def state_line(message: str, level: str = "INFO") -> str:
    return f"{HEAD}{level} [Controller id=1 epoch=7] {message} (state.change.logger)\n"


@pytest.mark.parametrize("broker", [0, 1, 2])
@pytest.mark.parametrize("log", ["controller", "state-change"])
def test_nothing_of_a_real_log_is_bad(broker: int, log: str) -> None:
    text = fixture(f"kafka-3.9.1/broker{broker}-{log}.log")
    found = produced(text)
    assert faults(found) == []
    told = {row["line"] for row in rows(found)}
    assert told | set(passed(found)) == set(range(1, text.count("\n") + 1))
    assert not told & set(passed(found))


def test_the_moves_of_a_real_controller() -> None:
    found = rows(produced(fixture("kafka-3.9.1/broker0-controller.log")))
    moves = [
        (row["kind"], row["partition"], row["after"]["replicas"])
        for row in found
        if row.get("topic") == "orders"
        and row["kind"] in ("accept", "supersede", "cancel", "end", "isr-join")
    ]
    assert moves == [
        ("accept", 0, [2, 1, 0]),
        ("isr-join", 0, None),
        ("end", 0, [2, 1]),
        ("accept", 1, [2, 0, 1]),
        ("accept", 2, [1, 0, 2]),
        ("supersede", 1, [0, 1, 2]),
        ("cancel", 1, [1, 2]),
    ]
    assert {row["controller_epoch"] for row in found} == {1}
    [joined] = [row for row in found if row["kind"] == "isr-join"]
    assert joined["broker"] == 2
    assert joined["after"]["isr"] == [0, 1, 2]


def test_the_successor_ends_what_was_under_way() -> None:
    found = rows(produced(fixture("kafka-3.9.1/broker2-controller.log")))
    kinds = Counter(row["kind"] for row in found)
    assert kinds["elected"] == kinds["resigned"] == kinds["in office"] == 1
    assert {row["controller_epoch"] for row in found} == {2}
    [end] = [row for row in found if row["kind"] == "end" and row["topic"] == "orders"]
    assert (end["partition"], end["after"]["replicas"]) == (2, [1, 0])
    [by_znode] = [row for row in found if row["kind"] == "accept"]
    assert (by_znode["topic"], by_znode["after"]["removing"]) == ("payments", [0])
    assert kinds["admin-tidied"] == 2, "the entry, and the znode"
    assert {row["broker"] for row in found if row["kind"] == "log-deleted"} == {0, 1}


def test_elections_and_messages_of_a_real_controller() -> None:
    found = rows(produced(fixture("kafka-3.9.1/broker2-state-change.log")))
    elected = [row["after"] for row in found if row["kind"] == "elect" and row["topic"] == "orders"]
    assert [(each["leader"], each["leader_epoch"]) for each in elected][-2:] == [(1, 6), (1, 4)]
    told = [row for row in found if row["kind"] == "told-lead"]
    assert told[0]["after"]["adding"] == [1]
    assert told[0]["after"]["controller_epoch"] == 2
    warned = [row for row in found if row["kind"] == "warned" and row["node"] == 2]
    assert any(row.get("topic") == "orders" and row.get("broker") == 1 for row in warned)
    assert all("\tat " not in row["text"] for row in warned), "a trace says where, not what"


def test_a_join_is_not_made_up() -> None:
    update = (
        "ISR for partition t-0 updated to LeaderAndIsr(leader=1, leaderEpoch=3, "
        "isr=List({}), leaderRecoveryState=RECOVERED, partitionEpoch={})"
    )
    text = "".join(line(update.format(*each)) for each in (("1,2", 4), ("1,2,3", 5), ("1", 9)))
    assert [row["kind"] for row in rows(produced(text, CONTROLLER))] == [
        "leadership",  # who was in sync before is in another file
        "isr-join",
        "leadership",  # and so it is after writes that this file does not tell of
    ]


def test_an_end_without_its_beginning_is_told_by_what_follows() -> None:
    ended = (
        "Successfully updated assignment of partition t-0 to "
        "ReplicaAssignment(replicas=1,2, addingReplicas=, removingReplicas=)"
    )
    begun = ended.replace("replicas=1,2, addingReplicas=", "replicas=1,2,3, addingReplicas=3")
    assert one(line(ended), CONTROLLER)["kind"] == "end"
    assert one(line(begun), CONTROLLER)["kind"] == "assignment-updated"


STATES = "isrWithBrokerEpoch=List(BrokerState(brokerId=1, brokerEpoch=-1), "
STATES += "BrokerState(brokerId=2, brokerEpoch=5)), leaderRecoveryState=RECOVERED, partitionEpoch=3"


@pytest.mark.parametrize(
    "state",
    [
        "isr=List(1, 2), zkVersion=3",
        "isr=List(1, 2), leaderRecoveryState=RECOVERED, zkVersion=3",
        "isr=List(1, 2), leaderRecoveryState=RECOVERED, partitionEpoch=3",
        STATES,
    ],
)
def test_the_form_of_each_release(state: str) -> None:
    words = f"LeaderAndIsr(leader=1, leaderEpoch=2, {state})"
    text = f"Changed partition a.b-c-10 from NewPartition to OnlinePartition with state {words}"
    row = one(state_line(text), STATE)
    assert (row["kind"], row["topic"], row["partition"]) == ("initialize", "a.b-c", 10)
    expected = {"leader": 1, "leader_epoch": 2, "isr": [1, 2], "version": 3}
    assert {key: row["after"][key] for key in expected} == expected
    assert row["controller_epoch"] == 7


def test_an_unclean_election() -> None:
    state = "isr=List(1), leaderRecoveryState=RECOVERING, partitionEpoch=3"
    words = f"LeaderAndIsr(leader=1, leaderEpoch=2, {state})"
    text = f"Changed partition t-0 from OfflinePartition to OnlinePartition with state {words}"
    assert one(state_line(text), STATE)["kind"] == "elect-unclean"


def test_at_trace_each_partition_is_named() -> None:
    words = (
        "Sending LeaderAndIsr request LeaderAndIsrPartitionState(topicName='t', partitionIndex=0, "
        "controllerEpoch=7, leader=1, leaderEpoch=2, isr=[1], partitionEpoch=3, replicas=[2, 1], "
        "addingReplicas=[2], removingReplicas=[], isNew=true, leaderRecoveryState=0) to broker 2 "
        "for partition t-0"
    )
    row = one(state_line(words, "TRACE"), STATE)
    assert (row["kind"], row["broker"], row["detail"]) == ("told-lead", 2, '{"is_new": true}')
    assert (row["after"]["replicas"], row["after"]["adding"]) == ([2, 1], [2])


def test_a_deposed_controller_is_refused() -> None:
    words = (
        "[Broker id=2] Ignoring LeaderAndIsr request from controller 1 with correlation id 5 since "
        "its controller epoch 6 is old. Latest known controller epoch is 7"
    )
    row = one(f"{HEAD}WARN {words} (state.change.logger)\n", STATE)
    assert (row["kind"], row["node"], row["broker"]) == ("control-heard", 1, 2)
    assert row["rpc_error"] == 11


def test_a_trace_belongs_to_its_line() -> None:
    error = "[Controller id=1] Error\nof two lines (kafka.controller.KafkaController)"
    text = f"{HEAD}ERROR {error}\njava.lang.X: no\n\tat a.B(C:1)\n" + line("Resigned")
    found = produced(text, CONTROLLER)
    assert faults(found) == []
    warned, resigned = rows(found)
    assert (warned["kind"], warned["text"]) == ("warned", "Error\nof two lines\njava.lang.X: no")
    assert (resigned["kind"], resigned["line"]) == ("resigned", 5)


def test_a_line_that_is_cut_off() -> None:
    text = line("Resigned") + f"{HEAD}INFO [Controller id=1] Ready to ser"
    [fault] = faults(produced(text, CONTROLLER))
    assert fault.line == 2
    assert "cut off" in fault.reason


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("what is this\n", "no line of log4j"),
        ("[2026-02-30 10:00:00,000] INFO x (a.B)\n", "no time that there is"),
        (line("Updated leader epoch for partition t-0 to 99999999999, zkVersion=1"), "32 bits"),
        (
            state_line("Changed partition t-0 from A to OnlinePartition with state LeaderAndIsr(?"),
            "no LeaderAndIsr",
        ),
    ],
)
def test_the_reason_is_told(text: str, reason: str) -> None:
    format_ = STATE if "state.change" in text else CONTROLLER
    [fault] = faults(produced(text, format_))
    assert reason in fault.reason


def test_times_are_local_to_where_they_were_written() -> None:
    text = "".join(
        f"[2026-10-25 0{hour}:30:00,250] INFO [Controller id=1] Resigned{CLASS}\r\n"
        for hour in (1, 2, 3)
    )
    zurich = rows(produced("\ufeff" + text, CONTROLLER, tz=ZoneInfo("Europe/Zurich")))
    utc = rows(produced(text, CONTROLLER))
    hours = [
        (ours["ts_ms"] - theirs["ts_ms"]) / 3_600_000
        for ours, theirs in zip(zurich, utc, strict=True)
    ]
    assert hours == [-2, -2, -1]
    assert utc[0]["ts_ms"] == 1_792_891_800_250
    assert utc[0]["date"] == "2026-10-25"


def test_time_never_falls_within_a_file() -> None:
    text = line("Resigned") + line("Resigned").replace("10:00:00,000", "09:59:59,000")
    first, second = rows(produced(text, CONTROLLER))
    assert second["ts_ms"] < first["ts_ms"]
    assert second["at_ms"] == first["at_ms"]
