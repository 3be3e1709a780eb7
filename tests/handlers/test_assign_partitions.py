"""Keys 17900 and 17901: requests with a number, and what they have come to."""

from dataclasses import replace

import pytest
from core.clusters import Ledger, cluster, partition, topic
from handlers.denials import denied
from handlers.transacting import Znodes, on_the_wire
from handlers.worlds import context

from klamm.controller.core.events import AssignPartitions
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.results import NOT_CONTROLLER, Result
from klamm.controller.core.settings import Settings
from klamm.controller.handlers import k17900_assign_partitions as assign
from klamm.controller.handlers import k17901_partition_assignment_status as status
from klamm.controller.handlers.api import Answer, Context, Submit
from klamm.controller.handlers.switches import Switch
from klamm.controller.handlers.table import PUBLIC, advertised
from klamm.controller.znodes import paths
from klamm.controller.znodes.errors import ZnodeError
from klamm.protocol import codec
from klamm.protocol.generated.assign_partitions_request import (
    AssignPartitionsRequest,
    PartitionAssignment,
)
from klamm.protocol.generated.assign_partitions_response import (
    AssignPartitionsResponse,
    PartitionAssignmentResult,
)
from klamm.protocol.generated.partition_assignment_status_request import (
    PartitionAssignmentStatusRequest,
)
from klamm.protocol.generated.partition_assignment_status_response import (
    PartitionAssignmentStatusResponse,
    PartitionReplica,
    Progress,
)

STATE = cluster((1, 2, 3), topic("foo", {0: partition((1, 2)), 1: partition((1, 2))}))
FOO = PartitionAssignment("foo", 0, (2, 3))
MOVES = "A partition reassignment is in progress."


def asked(*assignments: PartitionAssignment, on: Context | None = None) -> AssignPartitionsResponse:
    """The response of the real core to a request that comes over the wire."""
    made = AssignPartitionsRequest(1_000, assignments)
    request = codec.decode(AssignPartitionsRequest, codec.encode(made, 0), 0)
    outcome = assign.handle(on or context(STATE), request, 0)
    if isinstance(outcome, Submit):
        book = Ledger((on and on.state) or STATE, Settings(now_ms=5_000))
        book.turn(*outcome.events)
        outcome = Answer(outcome.respond(book.results[1]))
    assert isinstance(outcome, Answer)
    response = on_the_wire(outcome.response, 0)
    assert isinstance(response, AssignPartitionsResponse)
    return response


def given(result: Result) -> AssignPartitionsResponse:
    outcome = assign.handle(context(STATE), AssignPartitionsRequest(1_000, (FOO,)), 0)
    assert isinstance(outcome, Submit)
    response = outcome.respond((result,))
    assert isinstance(response, AssignPartitionsResponse)
    return response


@pytest.mark.req("R179B-17")
def test_the_request_is_as_the_proposal_has_it() -> None:
    golden = bytes.fromhex("0000ea600204666f6f000000000300000002000000030000")
    request = AssignPartitionsRequest(60_000, (FOO,))
    assert codec.encode(request, 0) == golden
    assert codec.decode(AssignPartitionsRequest, golden, 0) == request
    outcome = assign.handle(context(STATE), request, 0)
    assert isinstance(outcome, Submit)
    assert outcome.events == (AssignPartitions(((TopicPartition("foo", 0), (2, 3)),)),)
    assert outcome.timeout is None


@pytest.mark.req("R179B-17", "R179B-30")
def test_both_keys_are_shown_only_with_their_switch() -> None:
    assert not {17900, 17901} & advertised().keys()
    shown = advertised(PUBLIC, switches=[Switch.ASSIGN])
    assert (shown[17900], shown[17901]) == (range(1), range(1))
    assert not {17900, 17901} & advertised(PUBLIC, switches=[Switch.ALTER]).keys()


@pytest.mark.req("R179B-21", "R179B-22", "R179B-23")
def test_each_broker_of_each_partition_has_a_row_in_order() -> None:
    response = asked(
        PartitionAssignment("foo", 1, ()),
        PartitionAssignment("bar", 0, (1,)),
        FOO,
        PartitionAssignment("foo", 7, (3, 1)),
    )
    assert (response.error_code, response.request_id) == (0, 1)
    rows = [(row.topic, row.partition, row.broker, row.error_code) for row in response.results]
    assert rows == [
        ("foo", 1, -1, 39),
        ("bar", 0, 1, 17),
        ("foo", 0, 2, 0),
        ("foo", 0, 3, 0),
        ("foo", 7, 3, 37),
        ("foo", 7, 1, 37),
    ]
    assert response.results[1].error_message == "Topic bar does not exist."
    assert response.results[2].error_message is None


@pytest.mark.req("R179B-22")
def test_the_unknown_broker_is_named_in_its_own_row() -> None:
    response = asked(PartitionAssignment("foo", 0, (3, 9)))
    assert response.request_id == -1
    three, nine = response.results
    assert (three.error_code, nine.error_code) == (55, 25)
    assert nine.error_message == "Broker 9 is not alive; those alive are [1, 2, 3]."
    assert three.error_message is not None
    assert "[9]" in three.error_message


def test_a_request_for_nothing_gets_no_number() -> None:
    response = asked()
    assert (response.error_code, response.request_id, response.results) == (0, -1, ())


@pytest.mark.req("R179B-20")
def test_while_something_moves_every_row_says_so() -> None:
    moving = cluster((1, 2, 3), topic("foo", {0: partition((2, 1), (2,), (1,))}))
    response = asked(FOO, PartitionAssignment("foo", 1, ()), on=context(moving))
    assert (response.error_code, response.error_message) == (60, MOVES)
    assert response.request_id == -1
    assert response.results == (
        PartitionAssignmentResult("foo", 0, 2, 60, MOVES),
        PartitionAssignmentResult("foo", 0, 3, 60, MOVES),
        PartitionAssignmentResult("foo", 1, -1, 60, MOVES),
    )


@pytest.mark.req("R179B-18", "R179B-31")
@pytest.mark.parametrize("active", [True, False], ids=["controller", "another node"])
def test_who_may_not_is_told_so_in_every_row_and_nothing_is_done(active: bool) -> None:
    on = denied(context(STATE, active=active))
    response = asked(FOO, PartitionAssignment("foo", 1, ()), on=on)
    text = "Cluster authorization failed."
    assert (response.error_code, response.error_message, response.request_id) == (31, text, -1)
    assert response.results == (
        PartitionAssignmentResult("foo", 0, 2, 31, text),
        PartitionAssignmentResult("foo", 0, 3, 31, text),
        PartitionAssignmentResult("foo", 1, -1, 31, text),
    )
    outcome = status.handle(on, PartitionAssignmentStatusRequest(1), 0)
    assert outcome == Answer(PartitionAssignmentStatusResponse(error_code=31, error_message=text))


@pytest.mark.req("R179B-19")
def test_who_is_not_the_controller_has_no_rows() -> None:
    elsewhere = asked(FOO, on=context(STATE, active=False))
    assert elsewhere == given(NOT_CONTROLLER)
    assert (elsewhere.error_code, elsewhere.results, elsewhere.request_id) == (41, (), -1)


def test_a_timeout_is_honoured_where_that_is_switched_on() -> None:
    on = replace(context(STATE), honours_timeouts=True)
    outcome = assign.handle(on, AssignPartitionsRequest(1_500, (FOO,)), 0)
    assert isinstance(outcome, Submit)
    assert outcome.timeout is not None
    assert outcome.timeout.seconds == 1.5
    late = outcome.timeout.response(on)
    assert isinstance(late, AssignPartitionsResponse)
    assert {late.error_code, *(row.error_code for row in late.results)} == {7}


# --- status -------------------------------------------------------------------------------------

HEADER = (
    b'{"version":1,"request_id":%d,"created_ms":5,"completed_ms":-1,"complete":false,'
    b'"replicas":3,"chunks":2,"unknown":1}'
)
ROW = (
    b'{"topic":"foo","partition":0,"broker":%d,"numerator":450,"denominator":900,"error":%d,'
    b'"complete":%s,"updated_ms":7}'
)


def kept(*ids: int) -> dict[str, bytes | None]:
    """ZooKeeper with these requests, each of two chunks."""
    data: dict[str, bytes | None] = {paths.REASSIGN_STATUS: b"{}"}
    for id_ in ids:
        data[paths.status_header(id_)] = HEADER % id_
        rows = b",".join((ROW % (2, 0, b"true"), ROW % (3, 60, b"false")))
        data[paths.status_chunk(id_, 0)] = b'{"version":1,"replicas":[%s]}' % rows
        data[paths.status_chunk(id_, 1)] = b'{"version":1,"replicas":[%s]}' % (
            ROW % (4, 85, b"true")
        )
    return data


def ask_status(
    request_id: int, data: dict[str, bytes | None], on: Context | None = None
) -> PartitionAssignmentStatusResponse:
    asking = on or context(STATE, active=False)
    outcome = status.handle(asking, PartitionAssignmentStatusRequest(request_id), 0)
    response = on_the_wire(Znodes(data).answer(outcome), 0)
    assert isinstance(response, PartitionAssignmentStatusResponse)
    return response


@pytest.mark.req("R179B-30")
def test_the_status_request_is_one_number() -> None:
    request = PartitionAssignmentStatusRequest(42)
    assert codec.encode(request, 0) == bytes.fromhex("0000002a00")
    assert codec.encode(PartitionAssignmentStatusRequest(), 0) == bytes.fromhex("ffffffff00")


@pytest.mark.req("R179B-40", "R179B-34", "R179B-41")
@pytest.mark.parametrize("active", [True, False], ids=["controller", "another node"])
def test_any_node_tells_what_the_znodes_hold(active: bool) -> None:
    response = ask_status(42, kept(42), context(STATE, active=active))
    assert response == PartitionAssignmentStatusResponse(
        request_id=42,
        complete=False,
        created_time_ms=5,
        completed_time_ms=-1,
        replicas=(
            PartitionReplica("foo", 0, 2, Progress(0, 450, 900, True, 7)),
            PartitionReplica("foo", 0, 3, Progress(60, 450, 900, False, 7)),
            PartitionReplica("foo", 0, 4, Progress(85, 450, 900, True, 7)),
        ),
    )


@pytest.mark.req("R179B-32")
def test_without_a_number_it_is_the_highest_that_is_kept() -> None:
    data = {
        **kept(9, 10, 2),
        f"{paths.REASSIGN_STATUS}/x": b"",
        f"{paths.REASSIGN_STATUS}/011": b"",
    }
    assert ask_status(-1, data).request_id == 10


@pytest.mark.req("R179B-33")
@pytest.mark.parametrize(
    ("asked_for", "data"),
    [(42, kept(1)), (-1, {}), (-1, {paths.REASSIGN_STATUS: b"{}"}), (0, kept(1)), (-7, kept(1))],
)
def test_a_number_that_is_not_kept(asked_for: int, data: dict[str, bytes | None]) -> None:
    response = ask_status(asked_for, data)
    assert (response.error_code, response.replicas, response.request_id) == (42, (), -1)
    assert response.error_message == f"Unknown reassignment request id {asked_for}."


@pytest.mark.req("R179B-34", "R179B-25")
def test_rows_that_are_not_written_yet_are_those_of_the_orders() -> None:
    ledger = Ledger(STATE, Settings(now_ms=5_000))
    ledger.turn(AssignPartitions(((TopicPartition("foo", 0), (2, 3)),)))
    data = {path: node.data for path, node in ledger.tree.nodes.items()}
    del data[paths.status_chunk(1, 0)]
    response = ask_status(1, data)
    assert response.replicas == (
        PartitionReplica("foo", 0, 2, Progress(60, 0, -1, False, 5_000)),
        PartitionReplica("foo", 0, 3, Progress(60, 0, -1, False, 5_000)),
    )
    del data[paths.REASSIGN_PARTITIONS]
    assert ask_status(1, data).replicas == ()


@pytest.mark.req("R179B-33", "R179B-48")
def test_a_request_of_which_rows_are_removed_is_not_known_any_more() -> None:
    data = kept(1)
    header = data[paths.status_header(1)] or b""
    data[paths.status_header(1)] = header.replace(b'"complete":false', b'"complete":true')
    assert len(ask_status(1, data).replicas) == 3
    del data[paths.status_chunk(1, 0)]
    response = ask_status(1, data)
    assert (response.error_code, response.request_id, response.replicas) == (42, -1, ())


def test_what_cannot_be_read_is_named() -> None:
    data = kept(1)
    data[paths.status_chunk(1, 1)] = b"{"
    with pytest.raises(ZnodeError, match=paths.status_chunk(1, 1)):
        ask_status(1, data)
