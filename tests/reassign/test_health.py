"""When a run pauses: what has got worse since its start, and when that has passed."""

import pytest
from reassign.scripted import ScriptedClock, names

from klamm.tools.reassign.health import Health, HealthGate, judge
from klamm.tools.reassign.waiting import DeadlineError, Patience

P0, P1, P2 = names(3)
BROKERS = frozenset({1, 2, 3})
WELL = Health(BROKERS, holders=BROKERS)


@pytest.mark.parametrize(
    ("first", "now", "causes"),
    [
        (WELL, WELL, []),
        (WELL, Health(BROKERS | {4}), []),
        (WELL, Health(frozenset({2})), ["brokers 1,3 vanished"]),
        (Health(frozenset({2}), holders=BROKERS), Health(frozenset({2}), holders=BROKERS), []),
        # A controller that is listed too may go, and a broker may be emptied by the plan.
        (Health(BROKERS | {900}, holders=BROKERS), Health(BROKERS, holders=BROKERS - {1}), []),
        (
            WELL,
            Health(BROKERS, offline=frozenset({P1, P0})),
            ["offline outside the plan: p-0,p-1"],
        ),
        (Health(BROKERS, offline=frozenset({P0})), Health(BROKERS, frozenset({P0})), []),
        (
            Health(BROKERS, offline=frozenset({P0})),
            Health(BROKERS, offline=frozenset({P1})),
            ["offline outside the plan: p-1"],
        ),
        (
            Health(BROKERS, under_min_isr=frozenset({P0})),
            Health(BROKERS, under_min_isr=frozenset({P0, P2})),
            ["under min.insync.replicas outside the plan: p-2"],
        ),
        (
            WELL,
            Health(BROKERS, frozenset({P0}), under_min_isr=frozenset({P0})),
            ["offline outside the plan: p-0"],
        ),
        (
            Health(BROKERS, under_replicated=frozenset({P0})),
            Health(BROKERS, under_replicated=frozenset({P1, P2})),
            ["under-replicated partitions outside the plan grew from 1 to 2: p-1,p-2"],
        ),
        (
            Health(BROKERS, under_replicated=frozenset({P0, P1})),
            Health(BROKERS, under_replicated=frozenset({P2})),
            [],
        ),
        (
            WELL,
            Health(BROKERS, under_replicated=frozenset(names(9))),
            [
                (
                    "under-replicated partitions outside the plan grew from 0 to 9:"
                    " p-0,p-1,p-2,p-3,p-4 and 4 more"
                )
            ],
        ),
    ],
)
def test_what_has_got_worse(first: Health, now: Health, causes: list[str]) -> None:
    facts = judge(first, now)
    assert [fact.cause for fact in facts] == causes
    assert all(fact.remedy for fact in facts)


def gate(clock: ScriptedClock, looks: list[Health], deadline_ms: int | None = None) -> list[str]:
    """Pass a gate that sees these one after another, the first of them at the start."""
    said: list[str] = []
    left = iter(looks)
    passing = HealthGate(lambda: next(left), Patience(clock, 1000, deadline_ms), said.append)
    passing()
    assert next(left, None) is None, "it looks no more often than it has to"
    return said


def test_nothing_is_said_while_all_is_well() -> None:
    clock = ScriptedClock()
    assert gate(clock, [WELL, WELL]) == []
    assert clock.now_ms == 0


def test_a_pause_is_told_once_with_its_cause_and_its_end() -> None:
    clock = ScriptedClock()
    gone = Health(BROKERS - {2})
    worse = Health(BROKERS - {2}, offline=frozenset({P0}))
    assert gate(clock, [WELL, gone, gone, worse, WELL]) == [
        "Paused: broker 2 vanished. Nothing more is submitted until broker 2 is back.",
        (
            "Paused: broker 2 vanished; offline outside the plan: p-0. Nothing more is submitted"
            " until broker 2 is back, and none of them is offline."
        ),
        "Going on: the cluster is as well as it was at the start.",
    ]
    assert clock.now_ms == 3000


def test_a_pause_ends_with_the_deadline() -> None:
    with pytest.raises(DeadlineError, match=r"after 1500 ms waiting for: broker 2 is back$"):
        gate(ScriptedClock(), [WELL, *[Health(BROKERS - {2})] * 5], deadline_ms=1500)
