"""The controller polls real brokers, and tells how far moves have come and replicas are behind."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from peers.real_brokers.cluster import RealCluster
from peers.real_brokers.records import Records
from peers.real_brokers.test_moves import await_end
from peers.real_brokers.throttles import throttle, unthrottle
from processes import wait_until
from wire import ask

from klamm.controller.handlers.switches import Switch
from klamm.protocol.generated.assign_partitions_request import (
    AssignPartitionsRequest,
    PartitionAssignment,
)
from klamm.protocol.generated.assign_partitions_response import AssignPartitionsResponse
from klamm.protocol.generated.partition_assignment_status_request import (
    PartitionAssignmentStatusRequest,
)
from klamm.protocol.generated.partition_assignment_status_response import (
    PartitionAssignmentStatusResponse,
    Progress,
)
from klamm.protocol.generated.replica_status_request import ReplicaStatusKey, ReplicaStatusRequest
from klamm.protocol.generated.replica_status_response import ReplicaStatus, ReplicaStatusResponse
from klamm.protocol.message import Message

pytestmark = pytest.mark.slow

ON = {switch.value: "true" for switch in (Switch.ALTER, Switch.ASSIGN)}
#: Bytes per second: a move of some megabytes takes its time.
RATE = 100_000
SECONDS = 60


@pytest.fixture(scope="module")
def switched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealCluster]:
    """A cluster whose controller serves both versions of KIP-179."""
    with RealCluster("3.9-IV0", tmp_path_factory.mktemp("progress"), ON) as cluster:
        yield cluster
        assert cluster.logs.complaints() == []


def ask_klamm(cluster: RealCluster, request: Message) -> Message:
    return ask(int(cluster.bootstrap.rpartition(":")[2]), request, 0)


def status(cluster: RealCluster, topic: str, *brokers: int) -> dict[int, ReplicaStatus]:
    keys = tuple(ReplicaStatusKey(topic, 0, broker) for broker in brokers)
    answer = ask_klamm(cluster, ReplicaStatusRequest(keys))
    assert isinstance(answer, ReplicaStatusResponse)
    assert answer.error_code == 0
    assert {row.error_code for row in answer.replicas} == {0}
    return {row.broker: row for row in answer.replicas}


def progress(cluster: RealCluster, request: int, topic: str, broker: int) -> Progress:
    answer = ask_klamm(cluster, PartitionAssignmentStatusRequest(request))
    assert isinstance(answer, PartitionAssignmentStatusResponse)
    assert answer.error_code == 0
    rows = {(row.topic, row.partition, row.broker): row.progress for row in answer.replicas}
    return rows[topic, 0, broker]


@pytest.mark.req("R179B-45", "R179A-46", "R179A-48")
def test_the_numbers_of_a_move_rise_until_it_is_over(switched: RealCluster, topic: str) -> None:
    cluster = switched
    cluster.admin.create_topics({topic: {"assignments": {0: [0, 1]}}})
    with Records(cluster.addresses(), topic) as records:
        records.await_more(500)
    written = len(records.acknowledged)
    throttle(cluster, topic, sources="0:0,0:1", targets="0:2", rate=RATE)
    assigned = PartitionAssignment(topic, 0, (2, 1))
    answer = ask_klamm(cluster, AssignPartitionsRequest(9000, (assigned,)))
    assert isinstance(answer, AssignPartitionsResponse)
    assert answer.error_code == 0
    number = answer.request_id

    def next_after(numerator: int) -> Progress:
        wait_until(
            lambda: progress(cluster, number, topic, 2).numerator > numerator,
            f"broker 2 to have more than {numerator}",
            SECONDS,
        )
        return progress(cluster, number, topic, 2)

    seen = [next_after(0)]
    seen += [next_after(seen[-1].numerator)]
    seen += [next_after(seen[-1].numerator)]
    assert [each.error_code for each in seen] == [60, 60, 60]
    assert {each.denominator for each in seen} == {written}
    assert seen[0].numerator < seen[1].numerator < seen[2].numerator < written

    found = status(cluster, topic, 0, 1, 2)
    assert (found[0].lag, found[1].lag) == (0, 0)
    assert found[1].isr_time == found[1].status_time > 0
    assert 0 < found[2].lag < found[2].max_lag <= written
    assert found[2].isr_time == -1
    assert seen[0].updated_time_ms < found[2].follower_time <= found[2].status_time

    unthrottle(cluster, topic)
    await_end(cluster, topic)
    wait_until(lambda: progress(cluster, number, topic, 2).complete, "the request to be complete")
    found = status(cluster, topic, 2, 1)
    for broker in (1, 2):
        row = found[broker]
        assert (row.lag, row.isr_time) == (0, row.status_time), broker


@pytest.mark.req("R179A-46")
def test_whoever_asks_about_what_rests_is_told_what_was_polled_for_it(
    switched: RealCluster, topic: str
) -> None:
    cluster = switched
    cluster.admin.create_topics({topic: {"assignments": {0: [1, 2]}}})
    with Records(cluster.addresses(), topic) as records:
        records.await_more()
    wait_until(lambda: status(cluster, topic, 2)[2].lag == 0, "broker 2 to have all")
    first = status(cluster, topic, 2)[2]
    assert first.isr_time == first.status_time
    wait_until(
        lambda: status(cluster, topic, 2)[2].status_time > first.status_time, "the next poll"
    )
