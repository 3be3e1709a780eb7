"""Moves in steps: which step runs, or why none does, and who is to be in sync by now."""

from dataclasses import replace

import pytest
from explain.facts import ALIVE, T0, causes, facts, found

from klamm.controller.configs.cluster_wide import (
    LEADER_MOVEMENTS,
    PARTITION_MOVEMENTS,
    REPLICA_MOVEMENTS,
)
from klamm.tools.admin import TopicPartition, TopicPartitionReplica
from klamm.tools.explain.commands import Commands
from klamm.tools.explain.diagnose import diagnose
from klamm.tools.explain.facts import MIN_ISR, Facts, Look, Partition, Step
from klamm.tools.explain.findings import Cause, Severity

#: From 1, 2 to 3, 4: 3 has joined, 4 is next.
MOVE = Partition((3, 4, 1, 2), (3, 4), (1, 2), leader=3, isr=(1, 2, 3), moving=True)
SIZES = {1: 1000, 2: 1000, 3: 1000}
RUNS = Step((3, 4, 1, 2), runs=True, number=2, most=4, kind="swap", adding=(4,))
WAITS = Step((3, 1, 2), runs=False, number=2, most=4)


def stepped(step: Step, *, alive: frozenset[int] = ALIVE, **changes: object) -> Facts:
    partition = replace(MOVE, step=step, **changes)  # type: ignore[arg-type]
    return facts(partition, SIZES, {**SIZES, 4: 500} if step.runs else SIZES, alive=alive)


@pytest.mark.req("R435-22")
@pytest.mark.parametrize(
    ("what", "expected"),
    [
        pytest.param(stepped(RUNS), [Cause.COPYING, Cause.STEP], id="runs"),
        pytest.param(
            stepped(RUNS, waiting_for="broker 4 to answer"),
            [Cause.CONTROLLER_WAITS, Cause.COPYING, Cause.STEP],
            id="runs and waits for an answer",
        ),
        pytest.param(
            stepped(replace(WAITS, waits="deferred"), waiting_for="a slot: 1 steps run"),
            [Cause.DEFERRED],
            id="deferred",
        ),
        pytest.param(
            stepped(replace(WAITS, waits="target-offline"), alive=ALIVE - {4}),
            [Cause.TARGET_OFFLINE, Cause.CONTROLLER_WAITS],
            id="target-offline",
        ),
        pytest.param(
            stepped(replace(RUNS, adding=(), hosted=(3, 1, 2)), alive=ALIVE - {4}),
            [Cause.STEP],
            id="a step runs though a target is away",
        ),
        pytest.param(
            stepped(replace(WAITS, waits="not-in-sync"), isr=(1, 2, 3, 4)),
            [Cause.NOT_IN_SYNC],
            id="not-in-sync",
        ),
        pytest.param(
            stepped(replace(WAITS, waits="offline"), leader=None, isr=(1,)),
            [Cause.NO_LEADER, Cause.OFFLINE],
            id="offline",
        ),
        pytest.param(
            stepped(replace(WAITS, waits="offline"), waiting_for="a znode that can be read: /x"),
            [Cause.CONTROLLER_WAITS],
            id="what is needed cannot be read",
        ),
        pytest.param(
            stepped(Step((3, 1, 2), runs=False, others=1)), [Cause.DEFERRED], id="by the batch"
        ),
        pytest.param(
            stepped(Step((3, 4, 1, 2), runs=True, adding=(4,), others=0)),
            [Cause.COPYING, Cause.STEP],
            id="runs by the batch",
        ),
    ],
)
def test_causes(what: Facts, expected: list[Cause]) -> None:
    assert causes(what) == expected


def test_who_is_not_told_of_the_partition_lacks_nothing() -> None:
    """Without steps broker 4 would be called one that hangs."""
    assert causes(facts(MOVE, SIZES, SIZES)) == [Cause.NOT_COPYING]
    assert causes(stepped(replace(WAITS, waits="deferred"))) == [Cause.DEFERRED]


def test_where_nobody_tells_of_steps_limits_are_a_reason_to_wait() -> None:
    """Whoever has no log yet hangs, or was not told of the partition: only a limit makes it so."""
    limited = {1: {PARTITION_MOVEMENTS: "1"}}
    [finding] = found(facts(MOVE, SIZES, SIZES, brokers=limited))
    assert finding.cause is Cause.OUT_OF_SYNC
    assert finding.advice == "the controller tells it if klamm.describe.reassignments.enable is set"
    unlimited = {1: {PARTITION_MOVEMENTS: "2147483647"}}
    assert causes(facts(MOVE, SIZES, SIZES, brokers=unlimited)) == [Cause.NOT_COPYING]
    begun = {**SIZES, 4: 0}
    assert causes(facts(MOVE, begun, begun, brokers=limited)) == [Cause.NOT_COPYING]


@pytest.mark.parametrize("config", [PARTITION_MOVEMENTS, LEADER_MOVEMENTS])
def test_a_deferred_step_says_which_limit_it_waits_for(config: str) -> None:
    waiting_for = f"a slot: 3 steps run, and {config} is 3"
    what = stepped(replace(WAITS, waits="deferred"), waiting_for=waiting_for)
    [diagnosis] = diagnose(what, Commands("localhost:9092")).partitions
    [finding] = diagnosis.findings
    assert finding.text == f"step 2 of at most 4 waits for {waiting_for}"
    assert finding.advice.startswith("it goes on by itself when another step ends")
    [command] = finding.commands
    assert command == (
        "kafka-configs --bootstrap-server localhost:9092 --alter --entity-type brokers"
        f" --entity-default --delete-config {config}"
    )
    assert diagnosis.severity is Severity.WAITS


def test_texts() -> None:
    *_, running = found(stepped(RUNS))
    assert running.text == "step 2 of at most 4 runs (swap): it adds broker 4"
    assert running.evidence == {
        "hosted": [3, 4, 1, 2],
        "step": 2,
        "most_steps": 4,
        "likely_steps": None,
    }
    *_, elects = found(stepped(replace(RUNS, adding=(), kind="leader", hosted=(3, 1, 2))))
    assert elects.text == "step 2 of at most 4 runs (leader): it copies nothing"
    [batch] = found(stepped(Step((3, 1, 2), runs=False, others=2)))
    assert batch.text == "its next step does not run; 2 steps of others do"
    [kept] = found(stepped(replace(WAITS, waits="not-in-sync"), isr=(1, 2), leader=1))[-1:]
    assert kept.text == "step 2 of at most 4 cannot begin before 3, 4 of its target are in sync"


#: What there was at the first look, and what made of it a false alarm.
BEGUN = replace(RUNS, since_ms=2_000)


def changed(before: Partition, after: Partition, sizes: dict[int, int]) -> Facts:
    """Broker 3 has copied 200 kB, the others nothing, and this is how the partition changed."""
    what = facts(after, {**SIZES, 3: 0, 4: 0}, sizes)
    return replace(what, first=replace(what.first, partitions={T0: before}))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            replace(MOVE, leader=1, isr=(1, 2), step=replace(RUNS, number=1, adding=(3,))),
            replace(MOVE, step=BEGUN),
            id="the next step, and another leader",
        ),
        pytest.param(
            replace(MOVE, leader=1, isr=(1, 2), adding=(3, 4)),
            replace(MOVE, adding=(3, 4)),
            id="another leader, where nobody tells of steps",
        ),
        pytest.param(
            replace(MOVE, leader_epoch=5, step=BEGUN),
            replace(MOVE, leader_epoch=6, step=BEGUN),
            id="another leader epoch",
        ),
        pytest.param(
            replace(MOVE, step=replace(WAITS, waits="deferred")),
            replace(MOVE, step=BEGUN),
            id="a step that did not run",
        ),
        pytest.param(
            replace(MOVE, step=replace(BEGUN, since_ms=1_000)),
            replace(MOVE, step=BEGUN),
            id="the step has begun anew",
        ),
        pytest.param(
            replace(MOVE, isr=(1, 2, 3, 4), step=BEGUN),
            replace(MOVE, step=BEGUN),
            id="it was in sync",
        ),
    ],
)
@pytest.mark.parametrize("copied", [0, 500], ids=["nothing yet", "something"])
def test_who_has_just_begun_is_not_judged(before: Partition, after: Partition, copied: int) -> None:
    """The leader's own copying is no production, and a step that has just begun is not stuck."""
    what = changed(before, after, {**SIZES, 3: 200_000, 4: copied})
    first, *_ = found(what)
    assert first.cause is Cause.COPYING
    assert first.text == (
        f"broker 4 lacks {200_000 - copied} bytes, and has just begun to copy them from leader 3;"
        " look again to see its rate"
    )
    assert first.evidence["produced_per_second"] is None
    same = changed(after, after, {**SIZES, 3: 200_000, 4: copied})
    worse = Cause.FALLING_BEHIND if copied else Cause.NOT_COPYING
    assert causes(same)[0] is worse


def test_who_has_just_begun_has_not_lost_its_directory() -> None:
    """A broker has no log yet, and another of its directories has failed."""
    after = replace(MOVE, step=BEGUN)
    for before, cause in (
        (replace(MOVE, step=replace(WAITS, waits="deferred")), Cause.COPYING),
        (after, Cause.LOG_DIR_FAILED),
    ):
        what = facts(after, SIZES, SIZES, failed={4: ("/d1",)})
        assert causes(replace(what, first=replace(what.first, partitions={T0: before})))[0] is cause


def behind(
    *holders: Partition, kind: str = "swap", config: str = PARTITION_MOVEMENTS, copied: int = 0
) -> Facts:
    """t-0 waits for a slot; u-0 and on are as given, and broker 4 has copied so much of them."""
    waits = replace(WAITS, waits="deferred")
    waiting_for = f"a slot: {len(holders)} steps run, and {config} is {len(holders)}"
    names = [TopicPartition("u", number) for number in range(len(holders))]
    run = {
        name: replace(one, step=replace(RUNS, kind=kind))
        for name, one in zip(names, holders, strict=True)
    }
    what = facts(
        replace(MOVE, step=waits, waiting_for=waiting_for),
        brokers={1: {config: str(len(holders)), REPLICA_MOVEMENTS: "1"}},
    )

    def look(of: Look, size: int) -> Look:
        sizes = {
            TopicPartitionReplica(*name, broker): size if broker == 4 else 1000
            for name in names
            for broker in (1, 2, 3, 4)
        }
        return replace(of, partitions={**of.partitions, **run}, sizes=sizes)

    return replace(what, first=look(what.first, 0), last=look(what.last, copied))


def of_t0(what: Facts) -> tuple[Severity, str, str]:
    [diagnosis] = [each for each in diagnose(what).partitions if each.partition == T0]
    [finding] = diagnosis.findings
    return diagnosis.severity, finding.text, finding.advice


@pytest.mark.parametrize("asked", [None, T0])
def test_what_waits_for_stuck_steps_is_stuck(asked: TopicPartition | None) -> None:
    what = replace(behind(MOVE, MOVE), asked=asked)
    findings = diagnose(what)
    assert findings.stuck
    assert {each.partition for each in findings.partitions} == (
        {T0} if asked else {*what.last.partitions}
    )
    severity, text, advice = of_t0(what)
    assert severity is Severity.STUCK
    assert text.endswith("; the slots are held by u-0, u-1, which are stuck")
    assert advice == "mend those, as is told of them; or raise the limit, or lift it:"
    assert of_t0(behind(MOVE))[1].endswith("; the slot is held by u-0, which is stuck")


def test_what_waits_for_steps_that_end_goes_on_by_itself() -> None:
    for what in (behind(MOVE, MOVE, copied=500), behind(MOVE, replace(MOVE, isr=(1, 2, 3, 4)))):
        severity, _, advice = of_t0(what)
        assert severity is Severity.WAITS
        assert advice.startswith("it goes on by itself when another step ends")


def test_a_dead_replica_that_no_step_waits_for_keeps_no_slot() -> None:
    what = behind(replace(MOVE, isr=(1, 3)), copied=500)
    what = replace(what, alive=ALIVE - {2})
    assert of_t0(what)[0] is Severity.WAITS


def test_slots_of_leaders_are_held_by_steps_that_bring_one() -> None:
    assert of_t0(behind(MOVE, kind="leader", config=LEADER_MOVEMENTS))[0] is Severity.STUCK
    assert of_t0(behind(MOVE, kind="swap", config=LEADER_MOVEMENTS))[0] is Severity.WAITS


def test_the_limit_is_raised_or_lifted() -> None:
    [diagnosis] = [each for each in diagnose(behind(MOVE, MOVE)).partitions if each.partition == T0]
    add, delete = diagnosis.findings[0].commands
    assert add.endswith(f"--entity-default --add-config {PARTITION_MOVEMENTS}=4")
    assert delete.endswith(f"--entity-default --delete-config {PARTITION_MOVEMENTS}")


#: KIP-435's example: 0 to 4 are replaced by 5 to 9.
EXAMPLE = Partition(
    (5, 6, 7, 8, 9, 0, 1, 2, 3, 4), (5, 6, 7, 8, 9), (0, 1, 2, 3, 4), leader=0, isr=(0, 1, 2, 3, 4)
)
FIRST = Step((5, 0, 1, 2, 3, 4), runs=True, number=1, most=11, kind="leader", adding=(5,))


@pytest.mark.parametrize(
    ("partition", "limit", "min_isr", "number"),
    [
        pytest.param(replace(EXAMPLE, step=FIRST), "2", "1", "1 of 4", id="the first runs"),
        pytest.param(
            replace(EXAMPLE, step=replace(FIRST, runs=False, waits="deferred", adding=())),
            "2",
            "1",
            "1 of 4",
            id="the first waits",
        ),
        pytest.param(
            replace(
                EXAMPLE,
                leader=5,
                isr=(5, 0, 1, 2, 3, 4),
                step=replace(FIRST, number=2, most=11, kind="swap", adding=(6,)),
            ),
            "2",
            "1",
            "2 of 4",
            id="the second runs",
        ),
        pytest.param(replace(EXAMPLE, step=FIRST), "1", "1", "1 of 6", id="one at a time"),
        pytest.param(
            replace(EXAMPLE, step=FIRST), None, "1", "1 of at most 11", id="no limit seen"
        ),
        pytest.param(replace(EXAMPLE, step=FIRST), "2", None, "1 of at most 11", id="no min seen"),
        pytest.param(
            replace(EXAMPLE, step=FIRST), "2147483647", "1", "1 of at most 11", id="another limit"
        ),
        pytest.param(
            replace(EXAMPLE, step=replace(FIRST, most=1)), "2147483647", "1", "1 of 1", id="none"
        ),
    ],
)
def test_the_likely_number_of_steps_is_told(
    partition: Partition, limit: str | None, min_isr: str | None, number: str
) -> None:
    what = facts(
        replace(partition, moving=True),
        alive=frozenset(range(10)),
        topic={} if min_isr is None else {MIN_ISR: min_isr},
        brokers={} if limit is None else {0: {REPLICA_MOVEMENTS: limit}},
    )
    [text] = [each.text for each in found(what) if each.text.startswith("step ")]
    assert text.startswith(f"step {number} ")
    if limit == "2" and min_isr:
        elsewhere = {**what.brokers, 8: {REPLICA_MOVEMENTS: "5"}, 9: {REPLICA_MOVEMENTS: "1"}}
        told = found(replace(what, brokers={**elsewhere, 9: what.brokers[0]}, controller=9))
        assert any(each.text.startswith(f"step {number} ") for each in told)
