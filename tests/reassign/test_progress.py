"""What is made of looks at moves: bytes, phases, reasons, and how they are shown."""

import io
import json

import pytest
from reassign.scripted import ScriptedClock, names

from klamm.tools.admin import (
    PartitionDescription,
    PartitionReassignment,
    ReassignmentDetails,
    StepDetails,
    TopicPartition,
    TopicPartitionReplica,
)
from klamm.tools.reassign.copies import Pace
from klamm.tools.reassign.progress import Moment, Phase, Watch
from klamm.tools.reassign.progress_sight import Sight
from klamm.tools.reassign.show import display, facts, summary
from klamm.tools.reassign.state import PartitionState, States
from klamm.tools.reassign.waiting import DOUBT_SECONDS

P0, P1, P2 = names(3)
TARGET = (2, 3)
PLAN = dict.fromkeys((P0, P1, P2), TARGET)
MOVE = PartitionReassignment((2, 3, 1), (3,), (1,))
BROKERS = (1, 2, 3)


def at_rest(name: TopicPartition, *replicas: int) -> PartitionState:
    return PartitionState(name, TARGET, replicas, replicas)


def moving(name: TopicPartition) -> PartitionState:
    return PartitionState(name, TARGET, MOVE.replicas, moving=True)


def described(
    name: TopicPartition, isr: tuple[int, ...], leader: int | None = 2
) -> PartitionDescription:
    return PartitionDescription(name.partition, leader, 0, (2, 3, 1), isr, ())


def sight(
    *states: PartitionState,
    sizes: dict[tuple[TopicPartition, int], int] | None = None,
    isr: tuple[int, ...] = (1, 2),
    leader: int | None = 2,
    brokers: tuple[int, ...] = BROKERS,
    details: dict[TopicPartition, ReassignmentDetails] | None = None,
    unthrottled: tuple[str, ...] = (),
) -> Sight:
    return Sight(
        States(
            {state.name: state for state in states},
            {state.name: MOVE for state in states if state.moving},
        ),
        {state.name: described(state.name, isr, leader) for state in states},
        brokers,
        {
            TopicPartitionReplica(*name, broker): size
            for (name, broker), size in (sizes or {}).items()
        },
        details or {},
        unthrottled,
    )


def told(waiting_for: str | None, step: StepDetails | None = None) -> ReassignmentDetails:
    return ReassignmentDetails(None, None, waiting_for, (), step)


def test_a_plan_from_start_to_end() -> None:
    watch = Watch(PLAN, 10.0)
    whole = {(name, broker): 1000 for name in PLAN for broker in (1, 2)}
    first = watch.update(
        sight(moving(P0), moving(P1), at_rest(P2, 1, 2), sizes={**whole, (P0, 3): 200}), 10.0
    )
    assert (first.copies.done, first.copies.total) == (200, 3000), "what is not started counts"
    assert first.phases == {
        Phase.NOT_STARTED: 1,
        Phase.MOVING: 2,
        Phase.CATCHING_UP: 0,
        Phase.DONE: 0,
    }
    assert [(one.name, [r.text for r in one.reasons]) for one in first.slowest] == [
        (P1, []),
        (P0, []),
        (P2, ["not started, or cancelled"]),
    ]
    second = watch.update(
        sight(moving(P0), at_rest(P1, 2, 3), moving(P2), sizes={**whole, (P0, 3): 400}), 12.0
    )
    assert second.copies.done == 1400
    assert (second.copies.rate, second.copies.pace) == (600.0, Pace.MOVING)
    assert second.copies.seconds_left == pytest.approx(1600 / 600)
    assert second.unfinished == (P0, P2)
    last = watch.update(sight(*(at_rest(name, 2, 3) for name in PLAN)), 15.0)
    assert (last.copies.done, last.copies.pace) == (3000, Pace.DONE)
    assert (last.phases[Phase.DONE], last.unfinished, last.seconds) == (3, (), 5.0)


def test_a_copy_is_whole_when_it_is_in_sync() -> None:
    """A leader that producers write to is ahead of what its followers had a moment ago."""
    watch = Watch({P0: TARGET}, 0.0)
    seen = sight(moving(P0), sizes={(P0, 2): 1000, (P0, 3): 990}, isr=(1, 2, 3))
    assert watch.update(seen, 0.0).copies.share == 1.0


def test_moves_found_later_are_no_pace() -> None:
    watch = Watch(None, 0.0)
    whole = {(P0, 2): 1000, (P1, 2): 1000}
    watch.take_in({P0: MOVE})
    assert watch.targets == {P0: TARGET}
    watch.update(sight(moving(P0), sizes={**whole, (P0, 3): 100}), 0.0)
    watch.take_in({P0: MOVE, P1: MOVE})
    sizes = {**whole, (P0, 3): 200, (P1, 3): 700}
    moment = watch.update(sight(moving(P0), moving(P1), sizes=sizes), 1.0)
    assert (moment.copies.done, moment.copies.total) == (900, 2000)
    assert (moment.copies.rate, moment.copies.seconds_left) == (100.0, 11.0)


def test_a_cancelled_move_is_forgotten_unless_a_plan_wants_it() -> None:
    found, planned = Watch(None, 0.0), Watch({P0: TARGET}, 0.0)
    found.take_in({P0: MOVE})
    for now in (1.0, 1.0 + DOUBT_SECONDS):
        seen = sight(at_rest(P0, 1, 2), sizes={(P0, 2): 1000})
        assert planned.update(seen, now).unfinished == (P0,)
        moment = found.update(seen, now)
        assert moment.phases[Phase.CATCHING_UP] == moment.partitions == (1 if now == 1.0 else 0)
        assert moment.copies.total == 1000 * moment.partitions
    assert found.targets == {}
    assert moment.unfinished == ()


@pytest.mark.parametrize(
    ("seen", "reasons", "is_stuck"),
    [
        (sight(moving(P0), sizes={(P0, 2): 9, (P0, 3): 5}), [], False),
        (
            sight(moving(P0), sizes={(P0, 2): 9, (P0, 3): 9}),
            ["broker 3 is not in sync"],
            False,
        ),
        (
            sight(moving(P0), sizes={(P0, 2): 9}, brokers=(1, 2)),
            ["broker 3 is not there"],
            True,
        ),
        (
            sight(moving(P0), sizes={(P0, 2): 9}, leader=None),
            ["has no leader"],
            True,
        ),
        (
            sight(moving(P0), isr=(1, 2, 3), details={P0: told("a deletion on 1")}),
            ["waits for a deletion on 1"],
            False,
        ),
        (sight(PartitionState(P0, TARGET, ())), ["does not exist"], False),
    ],
)
def test_reasons(seen: Sight, reasons: list[str], is_stuck: bool) -> None:
    moment = Watch({P0: TARGET}, 0.0).update(seen, 0.0)
    assert [reason.text for reason in moment.slowest[0].reasons] == reasons
    assert moment.is_stuck is is_stuck


def test_all_that_is_left_must_be_stuck() -> None:
    watch = Watch({P0: TARGET, P1: (1, 2)}, 0.0)
    other = PartitionState(P1, (1, 2), (1, 2, 3), moving=True)
    assert not watch.update(sight(moving(P0), other, brokers=(1, 2)), 0.0).is_stuck


def test_the_five_slowest_come_first() -> None:
    plan = names(8)
    sizes = {(name, 2): 100 for name in plan} | {(name, 3): 90 - name.partition for name in plan}
    watch = Watch(dict.fromkeys(plan, TARGET), 0.0)
    moment = watch.update(sight(*map(moving, plan), sizes=sizes), 0.0)
    assert [one.name.partition for one in moment.slowest] == [7, 6, 5, 4, 3]


def moment() -> Moment:
    """One of two partitions is there, and nothing more comes."""
    watch = Watch({P0: TARGET, P1: TARGET}, 0.0)
    seen = sight(moving(P0), moving(P1), sizes={(P0, 2): 1000, (P1, 2): 1000})
    watch.update(seen, 0.0)
    gone = sight(at_rest(P0, 2, 3), moving(P1), sizes={(P1, 2): 1000}, brokers=(1, 2))
    watch.update(gone, 2.0)
    return watch.update(gone, 10.0)


def test_a_moment_as_json() -> None:
    out = io.StringIO()
    view = display(out, as_json=False)
    view.show(moment())
    view.close()
    [line] = out.getvalue().splitlines()
    assert json.loads(line) == facts(moment())
    assert json.loads(line) == {
        "seconds": 10.0,
        "bytes": {"done": 1000, "total": 2000},
        "partitions": {"total": 2, "not_started": 0, "moving": 1, "catching_up": 0, "done": 1},
        "rate": 0,
        "pace": "stalled",
        "seconds_left": None,
        "slowest": [
            {
                "topic": "p",
                "partition": 1,
                "broker": 3,
                "done": 0,
                "total": 1000,
                "reasons": ["broker 3 is not there"],
            }
        ],
    }


def test_a_broker_that_copies_nothing_for_a_while_is_named() -> None:
    watch = Watch({P0: TARGET, P1: TARGET}, 0.0)

    def told(now: float, done: int, *brokers: int) -> list[str]:
        sizes = {(P0, 2): 1000, (P0, 3): done, (P1, 2): 1000}
        found = sight(moving(P0), at_rest(P1, 1, 2), sizes=sizes, brokers=brokers or BROKERS)
        slowest = {one.name: one for one in watch.update(found, now).slowest}
        assert [r.text for r in slowest[P1].reasons][:1] == ["not started, or cancelled"]
        assert len(slowest[P1].reasons) == 1, "what waits for its turn has nothing to copy"
        return [r.text for r in slowest[P0].reasons]

    assert told(10.0, 200) == []
    assert told(14.0, 200) == [], "brokers tell their sizes now and then"
    assert told(15.0, 300) == [], "it has grown"
    assert told(19.0, 300) == []
    assert told(22.0, 300) == ["broker 3 has copied nothing for 7 s"]
    assert told(30.0, 300, 1, 2) == ["broker 3 is not there"], "once is enough"
    assert told(31.0, 400) == []


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_moment_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("TERM", "xterm")
    out = Terminal()
    view = display(out, as_json=False)
    view.show(moment())
    view.close()
    text = out.getvalue()
    assert "50%  1.0 kB of 2.0 kB  1/2 partitions  0 bytes/s  stalled" in text
    assert "p-1" in text
    assert "to 3" in text
    assert "broker 3 is not there" in text
    assert summary(moment()) in text
    assert isinstance(json.loads(_json_of(moment())), dict), "--json writes lines there too"


def _json_of(seen: Moment) -> str:
    out = Terminal()
    display(out, as_json=True).show(seen)
    return out.getvalue()


def test_time_left_is_said_in_words() -> None:
    watch = Watch({P0: TARGET}, 0.0)
    clock = ScriptedClock()
    for size in (0, 10):
        seen = sight(moving(P0), sizes={(P0, 2): 100_000, (P0, 3): size})
        last = watch.update(seen, clock.monotonic())
        clock.sleep(2)
    assert summary(last).endswith("5 bytes/s  5 h 33 min left")
