"""What cannot be seen is left out and named; what must be seen fails."""

from collections.abc import Collection, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TypeVar, cast

import pytest

from klamm.controller.configs.throttle_keys import FOLLOWER_RATE
from klamm.tools.admin import (
    Admin,
    BatchEntry,
    BrokerDescription,
    ClusterDescription,
    ConfigEntry,
    ConfigResource,
    ConfigSource,
    LogDir,
    LogDirReplica,
    PartitionDescription,
    PartitionReassignment,
    ReassignmentDetails,
    Results,
    StepDetails,
    TopicDescription,
    TopicPartition,
    TopicPartitionReplica,
    errors,
)
from klamm.tools.explain.diagnose import diagnose
from klamm.tools.explain.facts import Facts, Step
from klamm.tools.explain.findings import Cause
from klamm.tools.explain.gather import Gatherer, NoSuchPartitionError

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)
K = TypeVar("K")
V = TypeVar("V")


def future(value: V | Exception) -> Future[V]:
    found: Future[V] = Future()
    if isinstance(value, Exception):
        found.set_exception(value)
    else:
        found.set_result(value)
    return found


def results(values: Mapping[K, V | Exception]) -> Results[K, V]:
    return Results({key: future(value) for key, value in values.items()})


@dataclass
class Cluster:
    """Brokers 1 to 3; t-0 moves from 1 to 2, and t-1 is at rest. `faults` by what is asked for."""

    faults: Mapping[str, Exception] = field(default_factory=dict)
    moving: bool = True
    copying: bool = True
    details: ReassignmentDetails | None = None
    batch: Mapping[TopicPartition, BatchEntry] | None = None
    slept: list[float] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    now: float = 0.0

    def facts(self, partition: TopicPartition | None = None, watch: float = 2.0) -> Facts:
        admin = cast("Admin", self)
        return Gatherer(admin, partition, watch, self.sleep, lambda: self.now).facts()

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def describe_cluster(self) -> Future[ClusterDescription]:
        brokers = {id_: BrokerDescription(id_, "h", 9, None) for id_ in (1, 2, 3)}
        return future(ClusterDescription("c", 1, brokers))

    def list_partition_reassignments(
        self, partitions: Collection[TopicPartition] = (T0,)
    ) -> Future[Mapping[TopicPartition, PartitionReassignment]]:
        found = {T0: PartitionReassignment((2, 1), (2,), (1,))}
        moving = found if self.moving and T0 in partitions else {}
        return future(self.faults.get("moves", moving))

    def describe_reassignments(self, *_: object) -> Future[Mapping[TopicPartition, object]]:
        if self.details is not None:
            return future({T0: self.details})
        return future(self.faults.get("details", errors.UnsupportedVersionError()))

    def list_reassignment_batch(self) -> Future[Mapping[TopicPartition, BatchEntry] | None]:
        return future(self.faults.get("batch", self.batch))

    def describe_topics(self, topics: Collection[str]) -> Results[str, TopicDescription]:
        partitions = {
            0: PartitionDescription(0, 1, 5, (2, 1), (1,), ()),
            1: PartitionDescription(1, 1, 5, (1,), (1,), ()),
        }
        self.asked.append("topics")
        found = TopicDescription("t", None, False, partitions)
        return results(
            {
                topic: self.faults.get("topics", found)
                if topic == "t"
                else errors.UnknownTopicOrPartitionError()
                for topic in topics
            }
        )

    def describe_log_dirs(
        self, brokers: Collection[int], timeout_ms: int
    ) -> Results[int, tuple[LogDir, ...]]:
        assert timeout_ms < 10_000, "who asks what is wrong does not wait for a dead broker"
        self.asked.append("dirs")
        sizes = {1: 1000, 2: int(100 * self.now), 3: 7}
        found: dict[int, tuple[LogDir, ...] | Exception] = {
            id_: (
                LogDir("/a", None, None, None, {T0: LogDirReplica(sizes[id_], 0, False)}),
                LogDir("/b", None, None, None, {T0: LogDirReplica(5, 90, self.copying)}),
                LogDir("/c", errors.KafkaStorageError(), None, None, {}),
            )
            for id_ in brokers
        }
        if "dirs" in self.faults:
            found[2] = self.faults["dirs"]
        return results(found)

    def describe_configs(
        self, names: Collection[ConfigResource], timeout_ms: int | None
    ) -> Results[ConfigResource, Mapping[str, ConfigEntry]]:
        source = ConfigSource.DYNAMIC_BROKER_CONFIG
        rate = ConfigEntry(FOLLOWER_RATE, "9", source, False, False)
        other = ConfigEntry("other", "9", source, False, False)
        found: Mapping[str, ConfigEntry] = {FOLLOWER_RATE: rate, "other": other}
        return results({name: self.faults.get(str(name), found) for name in names})


def test_two_looks_at_all_that_moves() -> None:
    cluster = Cluster()
    facts = cluster.facts()
    assert cluster.slept == [2.0]
    assert {*facts.last.partitions} == {T0}
    assert facts.seconds == 2.0
    assert [facts.size(look, T0, 2) for look in (facts.first, facts.last)] == [0, 200]
    assert facts.growth(T0, 2) == 100.0
    assert facts.brokers == {1: {FOLLOWER_RATE: "9"}, 2: {FOLLOWER_RATE: "9"}}
    assert facts.last.failed == dict.fromkeys((1, 2, 3), ("/c",))
    assert facts.last.log_dir_moves[TopicPartitionReplica("t", 0, 1)].offset_lag == 90
    assert facts.unseen == ()


def test_who_leads_at_both_ends_led_between_the_looks_at_the_logs() -> None:
    """A leader that was elected after its log was looked at would seem to have led before."""
    cluster = Cluster()
    cluster.facts()
    assert cluster.asked == ["topics", "dirs", "dirs", "topics"]
    cluster = Cluster()
    cluster.facts(watch=0)
    assert cluster.asked == ["dirs", "topics"]
    others = Cluster(moving=False)
    assert {*others.facts().first.partitions} == {T0}, "it moves between directories"


def test_one_that_waits_for_a_slot_is_seen_with_those_that_hold_one() -> None:
    batch = {T1: BatchEntry((1,), (1, 3))}
    facts = Cluster(batch=batch).facts(T0)
    assert {*facts.last.partitions} == {T0, T1}
    assert [each.partition for each in diagnose(facts).partitions] == [T0]
    facts = Cluster(batch={T0: BatchEntry((1,), (2,)), **batch}).facts(T0)
    assert {*facts.last.partitions} == {T0}, "its step runs"


def test_nobody_waits_where_nothing_moves() -> None:
    cluster = Cluster(moving=False)
    assert [*cluster.facts().last.partitions] == [T0], "it moves between directories"
    cluster = Cluster(moving=False, copying=False)
    assert cluster.facts().last.partitions == {}
    assert cluster.slept == []
    assert [*Cluster(moving=False).facts(T1).last.partitions] == [T1]


def test_a_copy_of_a_topic_that_is_gone_is_no_partition() -> None:
    cluster = Cluster({"topics": errors.UnknownTopicOrPartitionError()}, moving=False)
    assert cluster.facts().last.partitions == {}
    with pytest.raises(NoSuchPartitionError, match="no partition t-0"):
        cluster.facts(T0)


@pytest.mark.parametrize(
    ("what", "unseen"),
    [
        ("details", "what only klamm's controller tells: no"),
        ("dirs", "the log directories of broker 2: no"),
        ("topic t", "the configs of topic t: no"),
        ("broker 2", "the configs of broker 2: no"),
    ],
)
def test_what_this_client_may_not_see_is_named_once(what: str, unseen: str) -> None:
    facts = Cluster({what: errors.ClusterAuthorizationFailedError("no")}).facts()
    assert facts.unseen == (unseen,)
    [diagnosis] = diagnose(facts).partitions
    [of_the_target] = [each.cause for each in diagnosis.findings if each.brokers == (2,)][:1]
    assert of_the_target is (Cause.OUT_OF_SYNC if what == "dirs" else Cause.COPYING)


def test_steps_are_told_by_klamms_own_key() -> None:
    told = StepDetails((1,), (2, 1), 2, 3, "swap", (2,), 5)
    facts = Cluster(details=ReassignmentDetails(None, (2,), None, (), told)).facts()
    assert facts.last.partitions[T0].step == Step(
        (2, 1), True, None, 2, 3, "swap", (2,), since_ms=5
    )
    waits = StepDetails((1,), (1,), 1, 2, waits="deferred")
    facts = Cluster(details=ReassignmentDetails(None, None, "a slot", (), waits)).facts()
    partition = facts.last.partitions[T0]
    assert (partition.step, partition.waiting_for) == (
        Step((1,), False, "deferred", 1, 2),
        "a slot",
    )


def test_steps_are_told_by_the_batch_where_nobody_tells_more() -> None:
    facts = Cluster(batch={T0: BatchEntry((1,), (2,)), T1: BatchEntry((1,), (1, 3))}).facts()
    assert facts.last.partitions[T0].step == Step((1, 2), True, adding=(2,), others=1)
    facts = Cluster(batch={T1: BatchEntry((1,), (1, 3))}).facts()
    assert facts.last.partitions[T0].step == Step((1,), False, others=1)


@pytest.mark.parametrize("batch", [None, errors.UnsupportedVersionError()])
def test_where_nobody_tells_of_steps_there_are_none(batch: Exception | None) -> None:
    facts = Cluster({} if batch is None else {"batch": batch}).facts()
    assert facts.last.partitions[T0].step is None
    assert facts.unseen == ()


def test_who_may_not_see_the_batch_is_told_so() -> None:
    facts = Cluster({"batch": errors.ClusterAuthorizationFailedError("no")}).facts()
    assert facts.unseen == ("which steps of moves run: no",)


@pytest.mark.parametrize("what", ["moves", "topics"])
def test_without_moves_or_metadata_nothing_can_be_told(what: str) -> None:
    with pytest.raises(errors.ClusterAuthorizationFailedError):
        Cluster({what: errors.ClusterAuthorizationFailedError()}).facts()
