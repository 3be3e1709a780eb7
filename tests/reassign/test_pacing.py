"""Plans in portions, on a cluster that is a script: when which partitions are submitted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reassign.scripted import BEFORE, TARGET, ScriptedClock, ScriptedCluster, names

from klamm.tools.admin import TopicPartition
from klamm.tools.admin.errors import ApiError, InvalidReplicaAssignmentError
from klamm.tools.reassign.pacing import (
    Order,
    PacedRunError,
    Pacing,
    Refused,
    Targets,
    arranged,
    submit_paced,
)
from klamm.tools.reassign.state import PartitionState, Verdict
from klamm.tools.reassign.waiting import (
    DOUBT_SECONDS,
    DeadlineError,
    InconsistentError,
    Patience,
    await_complete,
)

#: P1 to P10 of the example in KIP-1335: P2 is quick, P3 is slow.
EXAMPLE = dict.fromkeys(names(10), 1500) | {
    TopicPartition("p", 1): 500,
    TopicPartition("p", 2): 9500,
}
STEPS = Pacing(3)
INCREMENTAL = Pacing(3, incremental=True)

plans = st.lists(st.integers(0, 5000), min_size=1, max_size=30).map(
    lambda lengths: dict(zip(names(len(lengths)), lengths, strict=True))
)
paces = st.builds(
    Pacing,
    st.integers(1, 8),
    st.booleans(),
    st.integers(1, 3000),
)


@pytest.mark.req("R1335-14", "R1335-15", "R1335-17", "R1335-18", "R1335-20")
@pytest.mark.parametrize(
    ("pacing", "submits", "returned", "reads"),
    [
        (Pacing(), [(0, [*range(10)])], 0, 0),
        (
            STEPS,
            [(0, [0, 1, 2]), (10_000, [3, 4, 5]), (12_000, [6, 7, 8]), (14_000, [9])],
            14_000,
            17,
        ),
        (
            INCREMENTAL,
            [(0, [0, 1, 2]), *((1000 * number, [2 + number]) for number in range(1, 8))],
            7000,
            7,
        ),
    ],
    ids=["all at once", "steps", "incremental"],
)
def test_the_example(
    pacing: Pacing, submits: list[tuple[int, list[int]]], returned: int, reads: int
) -> None:
    """Moves last 1,500 ms, but P2's 500 and P3's 9,500; looks are a second apart."""
    cluster = ScriptedCluster(EXAMPLE)
    cluster.run(pacing)
    assert [
        (when, [name.partition for name in group]) for when, group in cluster.submits
    ] == submits
    assert (cluster.clock.now_ms, len(cluster.reads)) == (returned, reads)
    assert cluster.ends[TopicPartition("p", 9)] > returned, "the last one is not awaited"


@pytest.mark.req("R1335-13", "R1335-36")
@pytest.mark.parametrize(
    ("size", "lengths"), [(3, [3, 3, 3, 1]), (1, [1] * 10), (10, [10]), (11, [10])]
)
def test_splitting(size: int, lengths: list[int]) -> None:
    cluster = ScriptedCluster(EXAMPLE)
    cluster.run(Pacing(size))
    assert [*map(len, cluster.groups)] == lengths
    assert [number for group in cluster.groups for number in group] == [*range(10)]
    if size >= 10:
        assert cluster.reads == []


@pytest.mark.req("R1335-36")
def test_incremental_order() -> None:
    """Slots that get free are taken in the order of the plan, as many as are free."""
    cluster = ScriptedCluster(dict(zip(names(7), [100, 100, 9000, 5000, 100, 100, 1], strict=True)))
    cluster.run(INCREMENTAL)
    assert cluster.groups == [[0, 1, 2], [3, 4], [5], [6]]


@pytest.mark.req("R1335-11")
@given(st.permutations([*names(12, "a"), *names(3, "b"), TopicPartition("B", 5)]))
def test_the_order_of_the_file_does_not_count(shuffled: list[TopicPartition]) -> None:
    plan = arranged(dict.fromkeys(shuffled, TARGET), Order.SORTED)
    ordered = [TopicPartition("B", 5), *names(12, "a"), *names(3, "b")]
    assert [*plan] == ordered
    assert ordered[3].partition == 2
    assert ordered[11].partition == 10


@pytest.mark.req("R1335-12")
def test_a_row_is_one_whatever_it_moves() -> None:
    few, many = names(2)
    sent: list[Targets] = []
    submit_paced(
        {few: (1,), many: (1, 2, 3, 4, 5)},
        Pacing(2),
        submit=sent.append,
        read=lambda _: {},
        patience=STEPS.patience(ScriptedClock()),
    )
    assert sent == [{few: (1,), many: (1, 2, 3, 4, 5)}]


@pytest.mark.req("R1335-16")
@given(plans, paces)
def test_never_more_in_flight_than_wanted(plan: dict[TopicPartition, int], pacing: Pacing) -> None:
    """As the tool sees it: what was submitted, less what a look has shown to be complete."""
    cluster = ScriptedCluster(plan)
    cluster.run(pacing)
    sent = [name for _, group in cluster.submits for name in group]
    assert sent == names(len(plan)), "every partition once, in order"
    assert max(cluster.seen, default=0) <= pacing.batch_size
    earlier: list[TopicPartition] = []
    for when, group in cluster.submits:
        others = [name for name in earlier if cluster.ends[name] > when]
        assert len(others) + len(group) <= pacing.batch_size
        if not pacing.incremental:
            assert not others
        earlier += group


@given(plans, paces, st.data())
def test_a_failure_in_a_group_stops(
    plan: dict[TopicPartition, int], pacing: Pacing, data: st.DataObject
) -> None:
    wrong = data.draw(st.sampled_from([*plan]))
    cluster = ScriptedCluster(plan, refused={wrong: ApiError("no")})
    with pytest.raises(PacedRunError) as caught:
        cluster.run(pacing)
    sent = [name for _, group in cluster.submits for name in group]
    assert wrong in cluster.submits[-1][1]
    assert [*caught.value.submitted] == [name for name in sent if name != wrong]
    assert [*caught.value.unsubmitted] == [wrong, *names(len(plan))[len(sent) :]]


@pytest.mark.req("R1335-36")
@pytest.mark.parametrize("pacing", [STEPS, INCREMENTAL], ids=["steps", "incremental"])
def test_failure_in_the_second_group(pacing: Pacing) -> None:
    wrong = TopicPartition("p", 3)
    cluster = ScriptedCluster(EXAMPLE, refused={wrong: InvalidReplicaAssignmentError("no such")})
    with pytest.raises(PacedRunError, match=r"^(3|5) submitted, (7|5) not submitted$") as caught:
        cluster.run(pacing)
    assert len(cluster.submits) == 2
    assert isinstance(caught.value.__cause__, Refused)
    assert str(caught.value.__cause__) == "Error reassigning partition(s):\np-3: no such"


@pytest.mark.req("R1335-19", "R1335-36")
@pytest.mark.parametrize(
    ("state", "verdict"),
    [
        (PartitionState(names(1)[0], TARGET, (2, 3, 1), moving=True), Verdict.MOVING),
        (PartitionState(names(1)[0], TARGET, TARGET, TARGET, moving=True), Verdict.MOVING),
        (PartitionState(names(1)[0], TARGET, TARGET, (2,)), Verdict.CATCHING_UP),
        (PartitionState(names(1)[0], TARGET, TARGET, (2, 3, 4)), Verdict.CATCHING_UP),
        (PartitionState(names(1)[0], TARGET, TARGET, (3, 2)), Verdict.COMPLETE),
        (PartitionState(names(1)[0], TARGET, (3, 2), (3, 2)), Verdict.INCONSISTENT),
        (PartitionState(names(1)[0], TARGET, BEFORE, BEFORE), Verdict.INCONSISTENT),
        (PartitionState(names(1)[0], TARGET, ()), Verdict.INCONSISTENT),
    ],
)
def test_shared_predicate(state: PartitionState, verdict: Verdict) -> None:
    """Both modes, and waiting, drop a partition by this verdict and nothing else."""
    assert state.verdict is verdict
    for pacing in (Pacing(1), Pacing(1, incremental=True)):
        sent: list[TopicPartition] = []
        end = Pacing(1, poll_interval_ms=1000, deadline_ms=1)
        first, second = names(2)
        try:
            submit_paced(
                {first: TARGET, second: TARGET},
                pacing,
                submit=sent.extend,
                read=lambda group: dict.fromkeys(group, state),
                patience=end.patience(ScriptedClock()),
            )
        except PacedRunError as ended:
            assert isinstance(ended.__cause__, DeadlineError)
        assert sent == ([first, second] if verdict is Verdict.COMPLETE else [first])


@pytest.mark.parametrize("pacing", [STEPS, INCREMENTAL], ids=["steps", "incremental"])
def test_a_short_isr_is_waited_for(pacing: Pacing) -> None:
    cluster = ScriptedCluster(dict.fromkeys(names(6), 1500), catching_up=30_000)
    cluster.run(pacing)
    assert [when for when, _ in cluster.submits] == [0, 32_000]


@pytest.mark.parametrize("pacing", [STEPS, INCREMENTAL], ids=["steps", "incremental"])
def test_a_lagging_broker_is_not_believed_at_once(pacing: Pacing) -> None:
    cluster = ScriptedCluster(dict.fromkeys(names(6), 1500), stale=3500)
    cluster.run(pacing)
    assert [when for when, _ in cluster.submits] == [0, 5000]


@pytest.mark.parametrize("pacing", [STEPS, INCREMENTAL], ids=["steps", "incremental"])
def test_what_stays_inconsistent_ends_the_run(pacing: Pacing) -> None:
    wrong = TopicPartition("p", 1)
    cluster = ScriptedCluster(EXAMPLE, lost=[wrong])
    with pytest.raises(PacedRunError) as caught:
        cluster.run(pacing)
    cause = caught.value.__cause__
    assert isinstance(cause, InconsistentError)
    assert str(cause) == (
        "There is no active reassignment of partition p-1, but replica set is 1,2 rather than 2,3."
    )
    assert len(cluster.submits) == 1, "nothing is sent while in doubt"
    # It has ended by the look at 1,000 ms.
    assert cluster.clock.monotonic() == 1 + DOUBT_SECONDS
    assert [*caught.value.submitted] == names(3)


@pytest.mark.req("R1335-25")
@pytest.mark.parametrize("pacing", [STEPS, INCREMENTAL], ids=["steps", "incremental"])
def test_without_a_deadline_it_never_gives_up(pacing: Pacing) -> None:
    hour, year = 3_600_000, 365 * 24 * 3_600_000
    cluster = ScriptedCluster(dict.fromkeys(names(6), year))
    cluster.run(Pacing(3, incremental=pacing.incremental, poll_interval_ms=hour))
    assert cluster.submits[-1][0] >= year


@pytest.mark.parametrize(
    ("pacing", "waiting_for"),
    [(STEPS, "p-2"), (INCREMENTAL, "p-2,p-4,p-5")],
    ids=["steps", "incremental"],
)
def test_the_deadline_ends_a_run_between_groups(pacing: Pacing, waiting_for: str) -> None:
    limited = Pacing(3, incremental=pacing.incremental, deadline_ms=3300)
    cluster = ScriptedCluster(EXAMPLE)
    with pytest.raises(PacedRunError) as caught:
        cluster.run(limited)
    assert str(caught.value.__cause__) == f"Timed out after 3300 ms waiting for: {waiting_for}"
    assert cluster.clock.now_ms == cluster.reads[-1] == 3300


@given(plans, paces, st.data())
def test_a_run_that_was_killed_goes_on(
    plan: dict[TopicPartition, int], pacing: Pacing, data: st.DataObject
) -> None:
    """What is complete or in flight is not sent again, and counts."""
    began = data.draw(st.sets(st.sampled_from([*plan]), max_size=pacing.batch_size))
    done = data.draw(st.sets(st.sampled_from([*plan]))) - began
    cluster = ScriptedCluster(plan)
    for name in sorted(began):
        cluster.start(name)
    cluster.run(pacing, in_flight=began, complete=done)
    sent = [name for _, group in cluster.submits for name in group]
    assert sent == [name for name in names(len(plan)) if name not in began | done]
    assert max(cluster.seen, default=0) <= pacing.batch_size
    if len(began) == pacing.batch_size and sent:
        assert cluster.submits[0][0] >= min(plan[name] for name in began)


@pytest.mark.req("R1335-40")
def test_order() -> None:
    plan = dict.fromkeys(names(4), TARGET)
    p0, p1, p2, p3 = plan
    sizes = {p0: 500, p1: 20, p3: 20}
    assert [*arranged(plan, Order.SORTED, sizes)] == [p0, p1, p2, p3]
    assert [*arranged(plan, Order.SMALL_FIRST, sizes)] == [p1, p3, p0, p2]


def test_waiting_ends_when_all_is_complete() -> None:
    cluster = ScriptedCluster(EXAMPLE)
    cluster.run(INCREMENTAL)
    left: list[int] = []
    plan = dict.fromkeys(EXAMPLE, TARGET)
    await_complete(
        plan, cluster.read, cluster.patience(INCREMENTAL), lambda names: left.append(len(names))
    )
    assert left == [3, 2, 1, 0]
    assert cluster.clock.now_ms == 10_000


def test_waiting_notices_what_went_elsewhere() -> None:
    cluster = ScriptedCluster({TopicPartition("p", 0): 0}, lost=names(1))
    cluster.run(Pacing())
    with pytest.raises(InconsistentError):
        await_complete(dict.fromkeys(names(1), TARGET), cluster.read, cluster.patience(STEPS))


def test_the_deadline_counts_from_the_start() -> None:
    clock = ScriptedClock(500)
    patience = Patience(clock, 1000, 2500)
    clock.sleep(0.8)
    patience.sleep(["x"])
    patience.sleep(["x"])
    assert clock.now_ms == 3000
    with pytest.raises(DeadlineError, match=r"^Timed out after 2500 ms waiting for: a,b$"):
        patience.sleep(["a", "b"])


class InterruptedClock(ScriptedClock):
    """Somebody presses Ctrl-C while the tool sleeps."""

    def sleep(self, seconds: float) -> None:
        raise KeyboardInterrupt


def test_what_was_sent_is_told_after_an_interrupt() -> None:
    cluster = ScriptedCluster(EXAMPLE, InterruptedClock())
    with pytest.raises(PacedRunError) as caught:
        cluster.run(STEPS)
    assert isinstance(caught.value.__cause__, KeyboardInterrupt)
    assert [*caught.value.submitted] == names(3)
    assert [*caught.value.unsubmitted] == names(10)[3:]
