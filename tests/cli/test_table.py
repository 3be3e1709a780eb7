"""The table of `klamm broker status`, and the lines below it."""

from typing import Any

from klamm.tools.cli._sizes import MIB
from klamm.tools.cli._table import lines

UP: dict[str, Any] = {
    "id": 1,
    "running": True,
    "frozen": False,
    "fetch_limit": None,
    "pause": None,
    "bytes": 20 * MIB,
    "fetch_rate": 0.0,
    "serve_rate": MIB,
    "roles": {"leads": 2, "in_sync": 1, "out_of_sync": 0},
    "throttles": {
        "leader_rate": None,
        "follower_rate": None,
        "leader_partitions": 0,
        "follower_partitions": 0,
    },
    "counters": {"ReassignmentBytesInPerSec": 0, "ReassignmentBytesOutPerSec": 0},
    "log_dirs": {"/data": True},
    "adding": [],
    "behind": [],
}
COPY = {"topic": "t", "partition": 0, "leader": 2, "done": 0, "total": MIB, "throttled": False}


def below(**fields: object) -> list[str]:
    """The lines below the table of one broker."""
    return [*lines([{**UP, **fields}])][2:]


def state(**fields: object) -> str:
    """What one broker's line says in the column of states."""
    return [*lines([{**UP, **fields}])][1].split()[1]


def test_a_broker_is_a_line() -> None:
    assert [*lines([UP])] == [
        "broker  state        leads  in sync  behind        data   fetches/s    serves/s",
        "     1  up               2        1       0    20.0 MiB         0 B     1.0 MiB",
    ]


def test_the_widest_line_fits_a_terminal_of_80_columns() -> None:
    rates = dict.fromkeys(("bytes", "fetch_rate", "serve_rate"), 1023.9 * MIB)
    roles = {"leads": 99999, "in_sync": 99999, "out_of_sync": 99999}
    odd = {"pause": 2.5, "log_dirs": {"/data": False}}
    table = [*lines([{**UP, **rates, **odd, "roles": roles, "id": 100_000}])][:2]
    assert [len(line) for line in table] == [79, 79]


def test_states() -> None:
    assert state() == "up"
    assert state(running=False, frozen=True) == "down"
    assert state(frozen=True, fetch_limit=1.0) == "frozen"
    assert state(pause=1.0) == "pauses"
    assert state(fetch_limit=1.0, log_dirs={"/a": False, "/b": True}) == "lags+lost"


def test_what_keeps_a_broker_from_copying_is_said() -> None:
    assert below(fetch_limit=100 * 1024.0) == ["  broker 1 lags: it fetches at most 100.0 KiB/s"]
    assert below(pause=2.5) == ["  broker 1 pauses 2.5 s before each second of fetching"]
    broken = {"/b": False, "/a": False, "/c": True}
    assert below(log_dirs=broken) == ["  broker 1 has lost /a, /b"]
    throttles: dict[str, Any] = {"leader_rate": None, "leader_partitions": 2}
    throttles |= {"follower_rate": 1024.0, "follower_partitions": 1}
    assert below(throttles=throttles) == [
        "  broker 1 serves 2 partitions under a leader throttle: no rate is set",
        "  broker 1 fetches 1 partition under a follower throttle: 1.0 KiB/s",
    ]


def test_what_moves_have_brought_and_taken_is_said() -> None:
    counters = {"ReassignmentBytesInPerSec": MIB, "ReassignmentBytesOutPerSec": 512}
    assert below(counters=counters) == [
        "  broker 1 has fetched 1.0 MiB for reassignments",
        "  broker 1 has served 512 B for reassignments",
    ]


def test_a_copy_is_done_at_its_end_and_not_before() -> None:
    nearly = {**COPY, "done": MIB - 1}
    assert below(adding=[nearly, {**COPY, "done": MIB}, {**COPY, "total": 0}]) == [
        "  broker 1 copies t-0 from 2: 1024.0 KiB of 1.0 MiB (99 %)",
        "  broker 1 copies t-0 from 2: 1.0 MiB of 1.0 MiB (100 %)",
        "  broker 1 copies t-0 from 2: 0 B of 0 B (100 %)",
    ]


def test_who_is_out_of_sync_is_told_with_the_reason() -> None:
    text = "  broker 1 is 1.0 MiB behind leader 2 of t-0: "
    assert below(behind=[COPY]) == [text + "it is catching up"]
    assert below(behind=[COPY], frozen=True) == [text + "it is frozen"]
    assert below(behind=[COPY], pause=1.0)[1:] == [text + "it pauses"]
    assert below(behind=[COPY], fetch_limit=1.0)[1:] == [text + "it lags"]
    rate = {**UP["throttles"], "follower_rate": 1.0}
    assert below(behind=[COPY], throttles=rate)[1:] == [text + "it is catching up"]
    named = {**COPY, "throttled": True}
    assert below(behind=[named]) == [text + "it is catching up"]
    assert below(behind=[named], throttles=rate)[1:] == [text + "it is throttled"]
    there = {**COPY, "done": MIB}
    assert below(behind=[there]) == [
        "  broker 1 is 0 B behind leader 2 of t-0: it is about to join the ISR"
    ]
    assert below(behind=[{**COPY, "leader": -1}]) == [
        "  broker 1 is out of sync with t-0, which has no leader"
    ]
