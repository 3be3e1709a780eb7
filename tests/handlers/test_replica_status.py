"""Keys 17903 and 17905: how far replicas are behind, and who tells the controller."""

from dataclasses import dataclass, field, replace

import pytest
from handlers.denials import denied
from handlers.transacting import on_the_wire
from handlers.worlds import broker, cluster, context, partition, topic

from klamm.controller.core.fact_events import ReplicaProgress
from klamm.controller.core.model import TopicPartition
from klamm.controller.handlers import k17903_replica_status as replica_status
from klamm.controller.handlers import k17905_report_fetch_progress as report_fetch_progress
from klamm.controller.handlers.api import Answer, Context
from klamm.controller.handlers.copies import ReplicaStatus
from klamm.controller.handlers.switches import Switch
from klamm.controller.handlers.table import PUBLIC, advertised
from klamm.protocol.codec import encode
from klamm.protocol.generated import replica_status_response as answered
from klamm.protocol.generated.replica_status_request import ReplicaStatusKey, ReplicaStatusRequest
from klamm.protocol.generated.report_fetch_progress_request import (
    FetchedPartition,
    FetchedTopic,
    FetchingFollower,
    ReportFetchProgressRequest,
)
from klamm.protocol.generated.report_fetch_progress_response import ReportFetchProgressResponse

T = TopicPartition("t", 0)
STATE = cluster(
    topic("t", {0: partition((4, 2, 1), adding=(4,), removing=(1,)), 1: partition((9, 2))})
)


@dataclass
class Known:
    """Copies that are known, and what was told of them."""

    known: dict[tuple[TopicPartition, int], ReplicaStatus] = field(default_factory=dict)
    told: list[tuple[ReplicaProgress, ...]] = field(default_factory=list)

    def status(self, name: TopicPartition, broker: int) -> ReplicaStatus | None:
        return self.known.get((name, broker))

    def take(self, reports: tuple[ReplicaProgress, ...]) -> None:
        self.told.append(reports)


def on(*known: tuple[int, ReplicaStatus], name: TopicPartition = T) -> Context:
    copies = Known({(name, broker): status for broker, status in known})
    return replace(context(STATE), copies=copies)


def ask(asking: Context, *keys: tuple[str, int, int]) -> answered.ReplicaStatusResponse:
    request = ReplicaStatusRequest(tuple(ReplicaStatusKey(*key) for key in keys))
    outcome = replica_status.handle(asking, request, 0)
    assert isinstance(outcome, Answer)
    response = on_the_wire(outcome.response, 0)
    assert isinstance(response, answered.ReplicaStatusResponse)
    return response


def codes(response: answered.ReplicaStatusResponse) -> list[int]:
    return [row.error_code for row in response.replicas]


# --- ReplicaStatus --------------------------------------------------------------------------------


@pytest.mark.req("R179A-43", "R179A-49", "R179A-50")
def test_a_row_has_times_and_lags() -> None:
    asking = on((4, ReplicaStatus(5_000, 3_000, 4_000, 10456, 20000)))
    response = ask(asking, ("t", 0, 4))
    row = answered.ReplicaStatus("t", 0, 4, 0, 5_000, 3_000, 4_000, 10456, 20000)
    assert response == answered.ReplicaStatusResponse(replicas=(row,))


@pytest.mark.req("R179A-43")
def test_golden_bytes() -> None:
    request = ReplicaStatusRequest((ReplicaStatusKey("foo", 0, 3),))
    assert encode(request, 0).hex() == "0204666f6f00000000000000030000"
    row = answered.ReplicaStatus("foo", 0, 3, 0, 1, -1, 2, 10456, 10457)
    response = answered.ReplicaStatusResponse(replicas=(row,))
    assert encode(response, 0).hex() == (
        "00000000000000"
        "0204666f6f00000000000000030000"
        "0000000000000001ffffffffffffffff000000000000000200000000000028d800000000000028d9"
        "0000"
    )


@pytest.mark.req("R179A-47")
def test_the_first_code_that_fits_is_told_of_each_replica_in_order() -> None:
    known = ReplicaStatus(1)
    asking = on((4, known))
    asked = (
        ("nowhere", 7, 99),
        ("t", 7, 99),
        ("t", 0, 99),
        ("t", 0, 3),
        ("t", 0, 4),
        ("nowhere", 0, 4),
    )
    response = ask(asking, *asked)
    assert codes(response) == [17, 37, 25, 3, 0, 17]
    assert [(row.topic, row.partition, row.broker) for row in response.replicas] == list(asked)
    for row in response.replicas:
        times = (row.status_time, row.isr_time, row.follower_time, row.lag, row.max_lag)
        assert times == ((1, -1, -1, -1, -1) if row.error_code == 0 else (-1,) * 5)


@pytest.mark.req("R179A-47")
def test_a_replica_on_a_broker_that_is_down_is_no_stranger() -> None:
    asking = on((9, ReplicaStatus(1, lag=7)), name=TopicPartition("t", 1))
    assert codes(ask(asking, ("t", 1, 9), ("t", 0, 9))) == [0, 25]


@pytest.mark.req("R179A-45")
def test_who_does_not_lead_says_so() -> None:
    elsewhere = replace(on(), controllers=None, state=None)
    response = ask(elsewhere, ("t", 0, 4), ("t", 0, 3))
    assert (response.error_code, codes(response)) == (0, [6, 3])


@pytest.mark.req("R179A-44")
@pytest.mark.parametrize("active", [True, False])
def test_without_the_right_there_is_31_everywhere(active: bool) -> None:
    asking = denied(replace(context(STATE, active=active), copies=Known()))
    response = ask(asking, ("t", 0, 4), ("nowhere", 0, 4))
    assert (response.error_code, codes(response)) == (31, [31, 31])
    assert response.error_message == "Cluster authorization failed."


def test_a_node_that_is_not_controller_sends_to_the_controller() -> None:
    response = ask(context(STATE, active=False), ("t", 0, 4))
    assert (response.error_code, codes(response)) == (41, [41])


@pytest.mark.req("R179A-43")
def test_it_is_shown_with_its_switch_alone() -> None:
    assert not {17903, 17905} & set(PUBLIC)
    assert advertised((), switches=(Switch.ALTER,))[17903] == range(1)
    assert 17905 not in advertised((), switches=(Switch.ALTER,))
    assert advertised((), switches=(Switch.ASSIGN,))[17905] == range(1)


# --- ReportFetchProgress --------------------------------------------------------------------------


def told(
    asking: Context, *topics: FetchedTopic, broker_id: int = 1, epoch: int = broker(1).epoch
) -> tuple[int, list[tuple[ReplicaProgress, ...]]]:
    """The code of the answer, and what the node was handed."""
    request = ReportFetchProgressRequest(broker_id, epoch, topics)
    outcome = report_fetch_progress.handle(asking, request, 0)
    assert isinstance(outcome, Answer)
    response = on_the_wire(outcome.response, 0)
    assert isinstance(response, ReportFetchProgressResponse)
    assert isinstance(asking.copies, Known)
    return response.error_code, asking.copies.told


FETCHED = FetchedTopic("t", (FetchedPartition(0, 5, 90, (FetchingFollower(4, 30),)),))


@pytest.mark.req("R179B-44")
def test_what_a_leader_tells_is_handed_over() -> None:
    assert told(on(), FETCHED) == (0, [(ReplicaProgress(T, 4, 30, 5, 90),)])


@pytest.mark.parametrize(
    "topics",
    [
        (FetchedTopic("u", FETCHED.partitions),),
        (FetchedTopic("t", (FetchedPartition(7, 0, 1, (FetchingFollower(4, 1),)),)),),
        (FetchedTopic("t", (FetchedPartition(1, 0, 1, (FetchingFollower(9, 1),)),)),),
        (),
    ],
    ids=["no such topic", "no such partition", "led by another", "nothing"],
)
def test_what_is_not_the_broker_s_to_tell_is_passed_over(topics: tuple[FetchedTopic, ...]) -> None:
    assert told(on(), *topics) == (0, [])


@pytest.mark.parametrize(
    ("asking", "broker_id", "epoch", "code"),
    [
        (on(), 1, 1000, 77),
        (on(), 7, 1007, 77),
        (replace(on(), state=None), 1, 1001, 41),
        (denied(on()), 1, 1001, 31),
    ],
)
def test_of_whom_nothing_is_taken(asking: Context, broker_id: int, epoch: int, code: int) -> None:
    assert told(asking, FETCHED, broker_id=broker_id, epoch=epoch) == (code, [])


@pytest.mark.parametrize(("start", "end"), [(-1, 90), (-(2**63), 2**63 - 1), (91, 90)])
def test_offsets_that_no_log_has_are_refused(start: int, end: int) -> None:
    """What is counted from them has no place in an answer, or in a znode."""
    logs = FetchedTopic("t", (FetchedPartition(0, start, end, (FetchingFollower(4, 30),)),))
    assert told(on(), FETCHED, logs) == (42, [])
