"""Moves in steps: which step runs, or why none does, and who is to be in sync by now."""

from dataclasses import replace

import pytest
from explain.facts import ALIVE, causes, facts, found

from klamm.controller.configs.cluster_wide import LEADER_MOVEMENTS, PARTITION_MOVEMENTS
from klamm.tools.explain.commands import Commands
from klamm.tools.explain.diagnose import diagnose
from klamm.tools.explain.facts import Facts, Partition, Step
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
    assert running.evidence == {"hosted": [3, 4, 1, 2], "step": 2, "most_steps": 4}
    *_, elects = found(stepped(replace(RUNS, adding=(), kind="leader", hosted=(3, 1, 2))))
    assert elects.text == "step 2 of at most 4 runs (leader): it copies nothing"
    [batch] = found(stepped(Step((3, 1, 2), runs=False, others=2)))
    assert batch.text == "its next step does not run; 2 steps of others do"
    [kept] = found(stepped(replace(WAITS, waits="not-in-sync"), isr=(1, 2), leader=1))[-1:]
    assert kept.text == "step 2 of at most 4 cannot begin before 3, 4 of its target are in sync"
