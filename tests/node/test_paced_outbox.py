"""What brokers are told of moves in steps: those that host the partition, and no others."""

from dataclasses import replace

import pytest
from core.clusters import T, broker, one, partition

from klamm.controller.brokers.messages import leader_and_isr
from klamm.controller.brokers.outbox import Outbox
from klamm.controller.core.ibp import by_name
from klamm.controller.core.model import ClusterState
from klamm.controller.core.pace import Pace
from klamm.protocol.generated.leader_and_isr_request import LeaderAndIsrRequest
from klamm.protocol.generated.stop_replica_request import StopReplicaRequest
from klamm.protocol.generated.update_metadata_request import UpdateMetadataRequest
from klamm.protocol.message import Message

OLD = by_name("2.4-IV0")


def stepped(*hosted: int) -> ClusterState:
    """[1,2,3] to [4,5,3]: brokers host what a step has come to."""
    part = partition((4, 5, 3, 1, 2), (4, 5), (1, 2), leader=1, isr=(1, 2, 3))
    return one((1, 2, 3, 4, 5), replace(part, pace=Pace(hosted, (1, 2, 3))))


def sent(outbox: Outbox, state: ClusterState) -> list[Message]:
    found: list[Message] = []
    while due := outbox.next_request(state, OLD, len(found)):
        found.append(due[0])
        outbox.in_flight = None
    return found


def kinds(outbox: Outbox, state: ClusterState) -> list[type]:
    return [type(message) for message in sent(outbox, state)]


@pytest.mark.req("R435-33")
def test_a_request_names_those_who_host_and_the_adding_ones_of_them() -> None:
    state = stepped(4, 3, 1, 2)
    request = leader_and_isr(state, broker(1), {T: False}, OLD)
    (told,) = request.topic_states[0].partition_states
    assert told.replicas == (4, 3, 1, 2)
    assert told.adding_replicas == (4,)
    assert told.removing_replicas == (1, 2)


@pytest.mark.req("R435-47", "R435-33")
def test_a_new_broker_is_told_to_host_what_it_hosts() -> None:
    state = stepped(4, 3, 1, 2)
    for id_, hosts in ((4, True), (5, False)):
        outbox = Outbox(broker(id_))
        outbox.refill(state)
        found = sent(outbox, state)
        leads = [message for message in found if isinstance(message, LeaderAndIsrRequest)]
        assert bool(leads) == hosts
        if leads:
            assert leads[0].topic_states[0].partition_states[0].is_new
        assert any(isinstance(m, UpdateMetadataRequest) and m.topic_states for m in found)


@pytest.mark.req("R435-26", "R435-48")
def test_an_adding_replica_that_no_step_adds_is_stopped_and_keeps_its_log() -> None:
    state = stepped(3, 1, 2)
    outbox = Outbox(broker(4))
    outbox.stop(T, delete=False)
    (stop,) = sent(outbox, state)
    assert isinstance(stop, StopReplicaRequest)
    assert not stop.delete_partitions


@pytest.mark.req("R435-52")
def test_a_delete_of_a_former_life_is_withheld_from_a_deferred_target() -> None:
    state = stepped(3, 1, 2)
    outbox = Outbox(broker(4))
    outbox.stop(T, delete=True)
    (stop,) = sent(outbox, state)
    assert isinstance(stop, StopReplicaRequest)
    assert not stop.delete_partitions


def test_a_stop_that_is_unsent_goes_when_a_step_adds_the_replica() -> None:
    outbox = Outbox(broker(4))
    outbox.stop(T, delete=False)
    assert kinds(outbox, stepped(4, 3, 1, 2)) == []
    outbox.stop(T, delete=False)
    outbox.lead(T, is_new=True)
    assert kinds(outbox, stepped(4, 3, 1, 2)) == [LeaderAndIsrRequest]
