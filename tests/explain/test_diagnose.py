"""What is found, by table: for each cause the facts that make it, and those next to it."""

from dataclasses import replace

import pytest
from explain.facts import ALIVE, MOVE, T0, facts, found
from explain.facts import causes as causes_of
from hypothesis import given
from hypothesis import strategies as st

from klamm.controller.configs.throttle_keys import (
    FOLLOWER_LIST,
    FOLLOWER_RATE,
    LEADER_LIST,
    LEADER_RATE,
    LOG_DIR_RATE,
)
from klamm.controller.handlers.k17904_describe_reassignments import ORDERED
from klamm.tools.admin import TopicPartition, TopicPartitionReplica
from klamm.tools.explain.commands import Commands
from klamm.tools.explain.diagnose import diagnose
from klamm.tools.explain.facts import UNCLEAN, Facts, LogDirMove, Partition
from klamm.tools.explain.findings import Cause, Severity

BEHIND = {1: 100_000, 2: 100_000, 3: 1_000}
HALF = {1: 100_000, 2: 100_000, 3: 50_000}
LEVEL = {1: 100_000, 2: 100_000, 3: 100_000}
#: From 1, 2, 3 to 1, 2, with 2 out of sync: nothing is to be copied (kafkactl #256).
SHRINK = Partition((1, 2, 3), (), (3,), leader=1, isr=(1, 3), moving=True)
LEADERLESS = replace(MOVE, leader=None, isr=(1,))
THROTTLED = {FOLLOWER_LIST: "0:3"}


def follower(rate: int) -> dict[int, dict[str, str]]:
    return {3: {FOLLOWER_RATE: str(rate)}}


@pytest.mark.parametrize(
    ("what", "causes"),
    [
        pytest.param(facts(MOVE, BEHIND, HALF), [Cause.COPYING], id="copying"),
        pytest.param(facts(MOVE, None, BEHIND, seconds=0), [Cause.COPYING], id="one look"),
        pytest.param(facts(MOVE, BEHIND, BEHIND), [Cause.NOT_COPYING], id="copies nothing"),
        pytest.param(facts(MOVE, {1: 9}, {1: 9}), [Cause.NOT_COPYING], id="has no log yet"),
        pytest.param(
            facts(MOVE, BEHIND, {1: 300_000, 2: 300_000, 3: 11_000}),
            [Cause.FALLING_BEHIND],
            id="more is produced than copied",
        ),
        pytest.param(facts(MOVE, HALF, LEVEL), [Cause.JOINING], id="has just caught up"),
        pytest.param(facts(MOVE, None, LEVEL, seconds=0), [Cause.JOINING], id="one look, level"),
        pytest.param(facts(MOVE, LEVEL, LEVEL), [Cause.ISR_CHANGE_STUCK], id="E15"),
        pytest.param(
            facts(MOVE, {1: 0, 2: 0, 3: 0}, {1: 0, 2: 0, 3: 0}),
            [Cause.ISR_CHANGE_STUCK],
            id="E15 with nothing in it",
        ),
        pytest.param(
            facts(MOVE, LEVEL, {1: 120_000, 2: 120_000, 3: 119_000}),
            [Cause.ISR_CHANGE_STUCK],
            id="E15 while records come",
        ),
        pytest.param(
            facts(MOVE, LEVEL, LEVEL, topic=THROTTLED, brokers=follower(1)),
            [Cause.ISR_CHANGE_STUCK],
            id="E15, and a throttle that does not matter",
        ),
        pytest.param(
            facts(MOVE, HALF, HALF, topic=THROTTLED, brokers=follower(1)),
            [Cause.THROTTLED_TO_NOTHING],
            id="1 B/s",
        ),
        pytest.param(
            facts(MOVE, HALF, HALF, topic=THROTTLED, brokers=follower(0)),
            [Cause.THROTTLED_TO_NOTHING],
            id="0 B/s",
        ),
        pytest.param(
            facts(MOVE, HALF, HALF, topic={FOLLOWER_LIST: "*"}, brokers=follower(1)),
            [Cause.THROTTLED_TO_NOTHING],
            id="all replicas of the topic",
        ),
        pytest.param(
            facts(MOVE, HALF, HALF, topic={LEADER_LIST: "0:1"}, brokers={1: {LEADER_RATE: "5"}}),
            [Cause.THROTTLED_TO_NOTHING],
            id="by its leader",
        ),
        pytest.param(
            facts(MOVE, HALF, HALF, topic={FOLLOWER_LIST: "1:3,0:2"}, brokers=follower(1)),
            [Cause.NOT_COPYING],
            id="others are throttled",
        ),
        pytest.param(
            facts(MOVE, HALF, HALF, topic=THROTTLED),
            [Cause.NOT_COPYING],
            id="listed without a rate",
        ),
        pytest.param(
            facts(MOVE, BEHIND, HALF, topic=THROTTLED, brokers=follower(50_000)),
            [Cause.COPYING],
            id="throttled, and enough",
        ),
        pytest.param(
            facts(
                MOVE,
                BEHIND,
                {1: 300_000, 2: 300_000, 3: 101_000},
                topic=THROTTLED,
                brokers=follower(50_000),
            ),
            [Cause.THROTTLED_TO_NOTHING],
            id="throttled below what is produced",
        ),
        pytest.param(
            facts(MOVE, HALF, HALF, topic=THROTTLED, brokers=follower(50_000)),
            [Cause.COPYING],
            id="throttled copies come in bursts",
        ),
        pytest.param(
            facts(MOVE, HALF, HALF, alive=ALIVE - {3}), [Cause.TARGET_OFFLINE], id="R435-22"
        ),
        pytest.param(
            facts(replace(MOVE, offline=(3,)), HALF, HALF, failed={3: ("/d1",)}),
            [Cause.LOG_DIR_FAILED],
            id="its directory failed",
        ),
        pytest.param(
            facts(MOVE, {1: 9}, {1: 9}, failed={3: ("/d1",)}),
            [Cause.LOG_DIR_FAILED],
            id="a directory failed, and it has no log",
        ),
        pytest.param(
            facts(MOVE, BEHIND, HALF, failed={3: ("/other",)}),
            [Cause.COPYING],
            id="another directory failed",
        ),
        pytest.param(
            facts(SHRINK, BEHIND, BEHIND, alive=ALIVE - {2}),
            [Cause.TARGET_OFFLINE, Cause.KEPT_OUT_OF_SYNC],
            id="only shrinks, dead broker is kept",
        ),
        pytest.param(
            facts(SHRINK, {1: 9, 2: 1, 3: 9}, {1: 9, 2: 1, 3: 9}),
            [Cause.NOT_COPYING, Cause.KEPT_OUT_OF_SYNC],
            id="only shrinks, kept replica copies nothing",
        ),
        pytest.param(
            facts(LEADERLESS, alive=frozenset({2, 3})),
            [Cause.NEEDS_UNCLEAN_LEADER],
            id="who was in sync is dead",
        ),
        pytest.param(
            facts(replace(MOVE, leader=None, isr=(4,))),
            [Cause.NEEDS_UNCLEAN_LEADER],
            id="who was in sync is no replica (F15)",
        ),
        pytest.param(
            facts(LEADERLESS, alive=frozenset({2, 3}), topic={UNCLEAN: "true"}),
            [Cause.NO_LEADER],
            id="an unclean leader is allowed",
        ),
        pytest.param(facts(LEADERLESS), [Cause.NO_LEADER], id="an election is due"),
        pytest.param(
            facts(replace(LEADERLESS, offline=(1,))),
            [Cause.NEEDS_UNCLEAN_LEADER],
            id="who was in sync has lost its directory",
        ),
        pytest.param(
            facts(LEADERLESS, alive=frozenset({4})),
            [Cause.NO_LIVE_REPLICA, Cause.TARGET_OFFLINE],
            id="all are dead",
        ),
        pytest.param(
            facts(replace(MOVE, exists=False, leader=None, isr=())),
            [Cause.TOPIC_DELETED],
            id="the topic is gone",
        ),
        pytest.param(
            facts(replace(MOVE, isr=(1, 3)), None, LEVEL, seconds=0),
            [Cause.COMPLETING],
            id="all in sync",
        ),
        pytest.param(
            facts(replace(MOVE, isr=(1, 3)), LEVEL, LEVEL),
            [Cause.CONTROLLER_WAITS],
            id="all in sync for a while",
        ),
        pytest.param(
            facts(replace(MOVE, waiting_for="broker 4 to answer"), BEHIND, HALF),
            [Cause.CONTROLLER_WAITS, Cause.COPYING],
            id="the controller says more",
        ),
        pytest.param(
            facts(replace(MOVE, waiting_for="brokers: 3"), HALF, HALF, alive=ALIVE - {3}),
            [Cause.TARGET_OFFLINE],
            id="the controller says the same",
        ),
        pytest.param(
            facts(Partition((1, 2), leader=1, isr=(1, 2), waiting_for=ORDERED)),
            [Cause.WAITS_FOR_TURN],
            id="in a batch to come",
        ),
        pytest.param(
            facts(Partition((1, 2), leader=1, isr=(1, 2), owed_deletes=(3,)), LEVEL, LEVEL),
            [Cause.OWES_DELETES],
            id="owes a delete",
        ),
        pytest.param(
            facts(Partition((1, 2), leader=1, isr=(1, 2)), LEVEL, LEVEL),
            [Cause.STRAY],
            id="a log that nobody knows",
        ),
        pytest.param(
            facts(Partition((1, 2), leader=1, isr=(1, 2)), BEHIND, {1: 9, 2: 9}),
            [],
            id="a log that has just gone",
        ),
        pytest.param(
            facts(Partition((1, 2), leader=1, isr=(1, 2)), {1: 9, 2: 9}, BEHIND),
            [],
            id="a log that has just come",
        ),
        pytest.param(facts(Partition((1, 2), leader=1, isr=(1, 2))), [], id="does not move"),
        pytest.param(
            facts(Partition((1, 2), leader=1, isr=(1,)), {1: 9, 2: 4}, {1: 9, 2: 6}),
            [Cause.COPYING],
            id="does not move any more, and catches up",
        ),
        pytest.param(
            facts(Partition((1, 2), leader=1, isr=(1,)), alive=ALIVE - {2}),
            [Cause.TARGET_OFFLINE],
            id="does not move any more, and waits for a dead one",
        ),
        pytest.param(
            facts(Partition((1, 2), isr=(2,)), alive=ALIVE - {2}),
            [Cause.NEEDS_UNCLEAN_LEADER],
            id="does not move any more, and nobody leads",
        ),
    ],
)
def test_a_cause_is_found_and_no_other(what: Facts, causes: list[Cause]) -> None:
    assert causes_of(what) == causes


@pytest.mark.parametrize(
    ("before", "after", "cause"),
    [
        (replace(MOVE, leader=2), MOVE, Cause.JOINING),
        (replace(MOVE, isr=(1,)), MOVE, Cause.JOINING),
        (MOVE, MOVE, Cause.ISR_CHANGE_STUCK),
        (MOVE, replace(MOVE, isr=(1, 2, 3)), Cause.COMPLETING),
        (replace(MOVE, moving=False), replace(MOVE, isr=(1, 3)), Cause.COMPLETING),
    ],
)
def test_what_has_changed_between_the_looks_is_not_stuck(
    before: Partition, after: Partition, cause: Cause
) -> None:
    what = facts(after, LEVEL, LEVEL)
    assert causes_of(replace(what, first=replace(what.first, partitions={T0: before}))) == [cause]


def test_the_lower_of_two_throttles_counts() -> None:
    lists = {LEADER_LIST: "0:1", FOLLOWER_LIST: "0:3"}
    for rates, slow in (((5, 50_000), 1), ((50_000, 5), 3)):
        brokers = {1: {LEADER_RATE: str(rates[0])}, 3: {FOLLOWER_RATE: str(rates[1])}}
        [finding] = found(facts(MOVE, HALF, HALF, topic=lists, brokers=brokers))
        assert finding.evidence["throttled_broker"] == slow


def test_the_values_come_with_the_cause() -> None:
    [finding] = found(facts(MOVE, BEHIND, HALF))
    assert finding.brokers == (3,)
    assert finding.evidence == {
        "leader": 1,
        "bytes_behind": 50_000,
        "bytes_per_second": 24_500.0,
        "produced_per_second": 0.0,
        "throttle": None,
    }
    assert "needs 2 s more" in finding.text


def test_nobody_knows_the_sizes_of_a_broker_that_did_not_answer() -> None:
    what = facts(MOVE, BEHIND, HALF)
    unseen = replace(what, last=replace(what.last, answered=frozenset({1, 2})), unseen=("why",))
    assert causes_of(unseen) == [Cause.OUT_OF_SYNC]
    assert diagnose(unseen).unseen == ("why",)
    assert not diagnose(unseen).stuck


def test_what_to_type_is_exact() -> None:
    commands = Commands("host:1,host:2", "my file")
    plan = """echo '{"version":1,"partitions":[{"topic":"t","partition":0,"replicas":[1,3]}]}'"""
    tool = "klamm reassign --bootstrap-server host:1,host:2 --command-config 'my file'"
    end = "--reassignment-json-file /dev/stdin"

    [offline] = diagnose(facts(MOVE, HALF, HALF, alive=ALIVE - {3}), commands).partitions
    assert offline.findings[0].commands == (f"{plan} | {tool} --cancel --preserve-throttles {end}",)

    slow = facts(MOVE, HALF, HALF, topic=THROTTLED, brokers=follower(1))
    [throttled] = diagnose(slow, commands).partitions
    assert throttled.findings[0].commands == (
        f"{plan} | {tool} --execute --additional --throttle 1000000 {end}",
    )

    ended = Partition((1, 3), leader=1, isr=(1,))
    left_over = facts(ended, HALF, HALF, topic=THROTTLED, brokers=follower(1))
    [at_rest] = diagnose(left_over, commands).partitions
    assert at_rest.findings[0].commands == (f"{tool} --sweep",)

    [leaderless] = diagnose(facts(LEADERLESS, alive=frozenset({2, 3})), commands).partitions
    [election] = leaderless.findings[0].commands
    assert election == (
        "kafka-leader-election --bootstrap-server host:1,host:2 --admin.config 'my file'"
        " --election-type unclean --topic t --partition 0"
    )


def test_a_lost_change_of_the_isr_takes_another_leader() -> None:
    [finding] = found(facts(MOVE, LEVEL, LEVEL))
    assert finding.commands == ()
    assert finding.advice == "a new leader ends that: start broker 1 again"
    [finding] = found(facts(replace(MOVE, leader=2), LEVEL, LEVEL))
    assert "--election-type preferred" in finding.commands[0]


def test_the_advised_throttle_is_enough() -> None:
    gap, produced = 36_000_000_000, 5_000_000
    sizes = [{1: gap, 3: 0}, {1: gap + 2 * produced, 3: 0}]
    [finding] = found(facts(MOVE, *sizes, topic=THROTTLED, brokers=follower(produced)))
    assert finding.cause is Cause.THROTTLED_TO_NOTHING
    [advised] = [int(word) for word in finding.commands[0].split() if word.isdigit()]
    assert (gap + 2 * produced) / (advised - produced) <= 3600
    again = facts(MOVE, *sizes, topic=THROTTLED, brokers=follower(advised))
    assert causes_of(again) == [Cause.COPYING]


@pytest.mark.parametrize(
    ("rate", "cause"),
    [("10", Cause.LOG_DIR_MOVE_THROTTLED), ("9000", Cause.LOG_DIR_MOVE), ("", Cause.LOG_DIR_MOVE)],
)
def test_a_replica_between_directories(rate: str, cause: Cause) -> None:
    at_rest = Partition((1, 2), leader=1, isr=(1, 2))
    what = facts(at_rest, brokers={2: {LOG_DIR_RATE: rate}})
    moves = {TopicPartitionReplica(*T0, 2): LogDirMove("/d1", 5, 70)}
    assert causes_of(replace(what, last=replace(what.last, log_dir_moves=moves))) == [cause]


def test_the_worst_comes_first() -> None:
    what = facts(MOVE, BEHIND, HALF)
    others = {
        TopicPartition("a", 0): Partition((1, 2), leader=1, isr=(1, 2)),
        T0: MOVE,
        TopicPartition("z", 0): replace(MOVE, exists=False),
        TopicPartition("z", 1): replace(MOVE, leader=None, isr=(4,)),
    }
    findings = diagnose(replace(what, last=replace(what.last, partitions=others)))
    assert [str(each.partition) for each in findings.partitions] == ["z-1", "z-0", "t-0", "a-0"]
    severities = [Severity.STUCK, Severity.WAITS, Severity.PROGRESS, Severity.PROGRESS]
    assert [each.severity for each in findings.partitions] == severities
    assert findings.stuck


BROKERS = st.sampled_from(range(1, 6))
SETS = st.lists(BROKERS, unique=True, max_size=5).map(tuple)


@st.composite
def any_facts(draw: st.DrawFn) -> Facts:
    """Whatever a cluster may show, sensible or not."""
    replicas = draw(st.lists(BROKERS, unique=True, min_size=1, max_size=5).map(tuple))
    split = draw(st.integers(0, len(replicas)))
    partition = Partition(
        replicas,
        replicas[:split],
        draw(st.sampled_from([(), replicas[split:]])),
        draw(st.none() | BROKERS),
        isr=draw(SETS),
        offline=draw(SETS),
        moving=draw(st.booleans()),
        exists=draw(st.booleans()),
        waiting_for=draw(st.sampled_from([None, ORDERED, "something"])),
        owed_deletes=draw(SETS),
    )
    sizes = st.dictionaries(BROKERS, st.integers(0, 10**13), max_size=5)
    rate = st.sampled_from(["", "0", "1", "1000000", "-1", "much"])
    return facts(
        partition,
        draw(sizes),
        draw(sizes),
        alive=frozenset(draw(SETS)),
        failed=dict.fromkeys(draw(SETS), ("/d",)),
        topic=draw(st.sampled_from([{}, {FOLLOWER_LIST: "*", LEADER_LIST: "0:1,,x"}])),
        brokers={b: {FOLLOWER_RATE: draw(rate), LEADER_RATE: draw(rate)} for b in draw(SETS)},
        seconds=draw(st.sampled_from([0.0, 0.001, 2.0])),
    )


@given(any_facts())
def test_every_move_is_explained(what: Facts) -> None:
    [diagnosis] = diagnose(what).partitions
    partition = what.last.partitions[T0]
    assert diagnosis.findings or not partition.moving
    assert len({(each.cause, each.brokers) for each in diagnosis.findings}) == len(
        diagnosis.findings
    )
    explained = {broker for each in diagnosis.findings for broker in each.brokers}
    missing = {*partition.goal} - {*partition.isr}
    if partition.exists:
        away = missing - what.alive
        assert away <= explained
        assert partition.leader is None or missing <= explained
    for each in diagnosis.findings:
        assert each.text
        assert "None" not in each.text + each.advice
        assert bool(each.commands) <= each.advice.endswith(":")
