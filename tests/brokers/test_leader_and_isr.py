"""LeaderAndIsr at a broker: every row of Kafka 3.9's decision (ReplicaManager, Partition)."""

from uuid import UUID

import pytest
from brokers.world import (
    SIZE,
    T,
    codes,
    leader_and_isr,
    order,
    settings,
    stop_replica,
    update_metadata,
)

from klamm.controller.core.model import TopicPartition
from klamm.protocol.generated.leader_and_isr_request import (
    LeaderAndIsrPartitionState,
    LeaderAndIsrRequest,
    LeaderAndIsrTopicState,
)
from klamm.protocol.generated.leader_and_isr_response import LeaderAndIsrResponse
from klamm.protocol.primitives import ZERO_UUID
from klamm.tools.brokers.model import BrokerModel
from klamm.tools.brokers.storage import Disks

ID_A, ID_B = UUID(int=0xA), UUID(int=0xB)


def broker(*log_dirs: str, live: tuple[int, ...] = (1, 2, 3)) -> BrokerModel:
    """Broker 1, which knows `live` and hosts nothing; never registered, so its epoch is -1."""
    log_dirs = log_dirs or ("/data",)
    model = BrokerModel(settings(1, log_dirs=log_dirs), Disks(log_dirs), 0.0)
    model.request(0.0, update_metadata(live), 5)
    return model


def ask(
    model: BrokerModel,
    *orders: LeaderAndIsrPartitionState,
    now: float = 0.0,
    controller_epoch: int = 1,
) -> list[int]:
    request = leader_and_isr(*orders, controller_epoch=controller_epoch)
    return [code for _, _, code in codes(model.request(now, request, 3))]


def ask_v7(model: BrokerModel, topic_id: UUID, *orders: LeaderAndIsrPartitionState) -> list[int]:
    response = model.request(0.0, leader_and_isr(*orders, topic_id=topic_id), 7)
    assert isinstance(response, LeaderAndIsrResponse)
    assert [topic.topic_id for topic in response.topics] == [topic_id]
    return [error.error_code for error in response.topics[0].partition_errors]


LEADER = order(1, 5, (1, 2), (1, 2, 3), partition_epoch=7)
FOLLOWER = order(2, 5, (1, 2), (1, 2, 3), partition_epoch=7)


@pytest.mark.parametrize("held", [LEADER, FOLLOWER], ids=["leader", "follower"])
@pytest.mark.parametrize(
    ("leader_epoch", "replicas", "code", "epoch_after"),
    [
        pytest.param(6, (1, 2), 0, 6, id="newer epoch, among the replicas: accepted"),
        pytest.param(6, (2, 3), 3, 5, id="newer epoch, not among the replicas"),
        pytest.param(5, (1, 2), 11, 5, id="equal epoch: even another replica list is ignored"),
        pytest.param(4, (1, 2), 11, 5, id="older epoch"),
    ],
)
def test_leader_epochs(
    held: LeaderAndIsrPartitionState,
    leader_epoch: int,
    replicas: tuple[int, ...],
    code: int,
    epoch_after: int,
) -> None:
    model = broker()
    assert ask(model, held) == [0]
    again = order(2, leader_epoch, (1, 2), replicas, partition_epoch=8)
    assert ask(model, again) == [code]
    assert model.replicas[T].leader_epoch == epoch_after
    assert model.replicas[T].replicas == (replicas if code == 0 else (1, 2, 3))


def test_an_unknown_partition_has_epoch_minus_1_so_epoch_0_is_accepted() -> None:
    model = broker()
    assert ask(model, order(1, 0, (1,), (1,))) == [0]
    assert model.replicas[T].leads


def test_an_equal_epoch_changes_no_adding_or_removing_replicas() -> None:
    model = broker()
    ask(model, LEADER)
    ask(model, order(1, 5, (1, 2), (4, 1, 2, 3), partition_epoch=8, adding=(4,), removing=(1,)))
    replica = model.replicas[T]
    assert (replica.replicas, replica.adding, replica.removing) == ((1, 2, 3), (), ())


def test_an_older_controller_epoch_is_refused_as_a_whole() -> None:
    model = broker()
    assert ask(model, LEADER, controller_epoch=3) == [0]
    newer = [order(1, 9, (1,), (1,), partition=number) for number in (0, 1)]
    response = model.request(0.0, leader_and_isr(*newer, controller_epoch=2), 3)
    assert isinstance(response, LeaderAndIsrResponse)
    assert response.error_code == 11
    assert codes(response) == [("t", 0, 11), ("t", 1, 11)]
    assert model.replicas[T].leader_epoch == 5
    assert model.controller_epoch == 3


@pytest.mark.parametrize("kind", ["LeaderAndIsr", "UpdateMetadata", "StopReplica"])
def test_the_highest_controller_epoch_of_all_three_requests_counts(kind: str) -> None:
    model = broker()
    match kind:
        case "LeaderAndIsr":
            model.request(0.0, leader_and_isr(controller_epoch=4), 3)
        case "UpdateMetadata":
            model.request(0.0, update_metadata((1, 2, 3), controller_epoch=4), 5)
        case "StopReplica":
            model.request(0.0, stop_replica(controller_epoch=4), 3)
    assert ask(model, LEADER, controller_epoch=3) == [11]
    assert ask(model, LEADER, controller_epoch=4) == [0]


def test_a_replica_in_a_broken_directory_answers_storage_error_whatever_the_epoch() -> None:
    model = broker("/a", "/b")
    ask(model, LEADER)
    model.fail_directory("/a")
    for epoch in (4, 5, 6):
        assert ask(model, order(1, epoch, (1,), (1,), is_new=True)) == [56]
    assert T not in model.replicas


def test_another_topic_id_than_the_log_has_is_inconsistent() -> None:
    model = broker()
    assert ask_v7(model, ID_A, LEADER) == [0]
    assert ask_v7(model, ID_B, order(1, 6, (1,), (1,), partition_epoch=8)) == [103]
    assert ask_v7(model, ZERO_UUID, order(1, 6, (1,), (1,), partition_epoch=8)) == [0]
    assert model.disks.logs[T].topic_id == ID_A


def test_an_equal_epoch_may_bring_the_topic_id_that_the_log_lacks() -> None:
    model = broker()
    ask(model, LEADER)
    assert ask_v7(model, ID_A, LEADER) == [0]
    assert model.disks.logs[T].topic_id == ID_A
    assert ask_v7(model, ID_A, LEADER) == [11]


@pytest.mark.parametrize("leader", [7, -1])
def test_a_follower_of_a_dead_leader_answers_0_and_keeps_its_epoch(leader: int) -> None:
    model = broker(live=(1, 2))
    assert ask(model, order(leader, 5, (7,), (1, 7))) == [0]
    assert T in model.disks.logs
    replica = model.replicas[T]
    assert (replica.leader_epoch, replica.leader, replica.fetching) == (-1, -1, False)
    model.request(0.0, update_metadata((1, 2, 7)), 5)
    assert ask(model, order(7, 5, (7,), (1, 7))) == [0]
    assert (replica.leader_epoch, replica.leader, replica.fetching) == (5, 7, True)


def test_a_leader_told_to_follow_a_dead_one_goes_on_leading() -> None:
    model = broker(live=(1, 2))
    ask(model, LEADER)
    assert ask(model, order(7, 6, (7,), (1, 7), partition_epoch=8)) == [0]
    assert (model.replicas[T].leader, model.replicas[T].leader_epoch) == (1, 5)


@pytest.mark.parametrize("leader", [1, 2])
def test_an_older_partition_epoch_is_skipped_with_code_0(leader: int) -> None:
    model = broker()
    ask(model, LEADER)
    assert ask(model, order(leader, 6, (1,), (1, 2), partition_epoch=6)) == [0]
    assert model.replicas[T].leader_epoch == 5
    assert model.replicas[T].isr == (1, 2)


def test_a_new_leader_epoch_starts_at_the_leaders_end() -> None:
    model = broker()
    ask(model, order(1, 0, (1, 2), (1, 2), is_new=True))
    assert model.replicas[T].epoch_start == SIZE
    model.disks.logs[T].end = SIZE + 5
    ask(model, order(1, 1, (1, 2), (1, 2), partition_epoch=1))
    assert model.replicas[T].epoch_start == SIZE + 5


def test_a_new_leader_knows_no_ends_and_trusts_its_isr() -> None:
    model = broker()
    ask(model, LEADER, now=9.0)
    two, three = (model.replicas[T].followers[broker_id] for broker_id in (2, 3))
    assert (two.end, two.caught_up_at) == (None, 9.0)
    assert (three.end, three.caught_up_at) == (None, float("-inf"))


def test_a_leader_that_stays_remembers_ends_and_drops_brokers_that_are_no_replicas() -> None:
    model = broker()
    ask(model, LEADER)
    model.fetched(1.0, T, 2, 0, stays=True)
    ask(model, order(1, 6, (1, 2), (1, 2, 4), partition_epoch=8), now=5.0)
    followers = model.replicas[T].followers
    assert sorted(followers) == [2, 4]
    assert (followers[2].end, followers[2].caught_up_at, followers[2].fetching) == (0, 5.0, False)


def test_a_leader_that_follows_forgets_its_isr_and_followers() -> None:
    model = broker()
    ask(model, LEADER)
    ask(model, order(2, 6, (1, 2), (1, 2, 3), partition_epoch=8))
    replica = model.replicas[T]
    assert (replica.isr, replica.followers, replica.fetching) == ((), {}, True)


def test_a_log_that_should_exist_is_not_made_beside_a_broken_directory() -> None:
    model = broker("/a", "/b")
    model.fail_directory("/a")
    old, new = order(1, 1, (1,), (1,)), order(1, 1, (1,), (1,), partition=1, is_new=True)
    assert ask(model, old, new) == [56, 0]
    assert model.disks.logs[TopicPartition("t", 1)].directory == "/b"
    assert ask(model, order(1, 2, (1,), (1,), is_new=True)) == [56], "offline until restarted"


def test_no_log_is_made_when_every_directory_is_broken() -> None:
    model = broker("/a")
    model.fail_directory("/a")
    assert ask(model, order(1, 1, (1,), (1,), is_new=True)) == [56]


def test_a_new_log_goes_where_fewest_are() -> None:
    model = broker("/a", "/b")
    orders = [order(1, 0, (1,), (1,), partition=number, is_new=True) for number in range(4)]
    ask(model, *orders)
    found = [model.disks.logs[TopicPartition("t", number)].directory for number in range(4)]
    assert found == ["/a", "/b", "/a", "/b"]


def test_only_the_first_isr_of_a_new_topic_is_born_with_data() -> None:
    model = broker()
    ask(
        model,
        order(1, 0, (1, 2), (1, 2), partition=0, is_new=True),
        order(2, 1, (2,), (2, 1), partition=1, is_new=True),
        order(1, 1, (1, 2), (1, 2), partition=2),
    )
    ends = [model.disks.logs[TopicPartition("t", number)].end for number in range(3)]
    assert ends == [SIZE, 0, 0]


@pytest.mark.parametrize("version", [0, 1])
def test_the_oldest_versions_name_partitions_one_by_one(version: int) -> None:
    states = tuple(
        LeaderAndIsrPartitionState(topic, number, 1, 1, 0, (1,), 0, (1,))
        for topic, number in (("a", 0), ("b", 1), ("a", 1))
    )
    request = LeaderAndIsrRequest(controller_epoch=1, ungrouped_partition_states=states)
    response = broker().request(0.0, request, version)
    assert codes(response) == [("a", 0, 0), ("b", 1, 0), ("a", 1, 0)]


@pytest.mark.parametrize("version", [2, 3, 4])
def test_an_answer_lists_every_partition_by_name(version: int) -> None:
    topics = (
        LeaderAndIsrTopicState(
            "a", partition_states=(LEADER, order(3, 1, (3,), (3,), partition=1))
        ),
        LeaderAndIsrTopicState("b", partition_states=(FOLLOWER,)),
    )
    request = LeaderAndIsrRequest(controller_epoch=1, topic_states=topics)
    response = broker().request(0.0, request, version)
    assert isinstance(response, LeaderAndIsrResponse)
    assert codes(response) == [("a", 0, 0), ("a", 1, 3), ("b", 0, 0)]
    assert response.topics == ()


@pytest.mark.parametrize("version", [5, 6, 7])
def test_an_answer_is_grouped_by_topic_id_from_version_5_on(version: int) -> None:
    topics = (
        LeaderAndIsrTopicState("a", ID_A, (LEADER, order(3, 1, (3,), (3,), partition=1))),
        LeaderAndIsrTopicState("b", ID_B, (FOLLOWER,)),
    )
    request = LeaderAndIsrRequest(controller_epoch=1, topic_states=topics)
    response = broker().request(0.0, request, version)
    assert isinstance(response, LeaderAndIsrResponse)
    assert response.partition_errors == ()
    found = {
        topic.topic_id: [(e.partition_index, e.error_code) for e in topic.partition_errors]
        for topic in response.topics
    }
    assert found == {ID_A: [(0, 0), (1, 3)], ID_B: [(0, 0)]}


def test_a_partition_named_twice_takes_its_last_entry_and_is_answered_once() -> None:
    model = broker()
    assert ask(model, FOLLOWER, LEADER) == [0]
    assert model.replicas[T].leads
