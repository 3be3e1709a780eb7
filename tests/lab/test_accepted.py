"""What clients were promised last is what partitions have, or some client's request was lost."""

from collections.abc import Sequence

import pytest

from klamm.controller.znodes import paths
from klamm.controller.znodes.topic import TopicZnode, encode_topic
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated import alter_partition_reassignments_response as answers
from klamm.tools.lab.accepted import forgotten
from klamm.tools.lab.clients import Asked, AskFor, cancel, list_moves, move
from klamm.tools.lab.events import Content, Happened, ZnodeChange
from klamm.tools.lab.observe import Observed

NOBODY, A_NODE = 0, 5


def answer(code: ErrorCode) -> answers.AlterPartitionReassignmentsResponse:
    part = answers.ReassignablePartitionResponse(0, code)
    topic = answers.ReassignableTopicResponse("t", (part,))
    return answers.AlterPartitionReassignmentsResponse(responses=(topic,))


class History:
    """Requests about t-0 with their answers, by step, and how the partition ended."""

    def __init__(self, *replicas: int, adding: tuple[int, ...] = ()) -> None:
        moving = {0: adding} if adding else {}
        self.observed = Observed()
        self.observed.topics["t"] = TopicZnode(2, {0: replicas}, moving, {})
        self.requests: list[Asked] = []
        self.events: list[Happened] = []

    def asked(
        self, what: AskFor, asked: int, answered: int, code: ErrorCode = ErrorCode.NONE
    ) -> "History":
        request = Asked(len(self.requests) + 1, "n1", what, asked, [answer(code)])
        self.requests.append(request)
        self.events.append(Happened(answered, 0.0, "n1", "n1 turn", replied=[request]))
        return self

    def lost(self, what: AskFor, asked: int) -> "History":
        self.requests.append(Asked(len(self.requests) + 1, "n1", what, asked, lost=True))
        return self

    def written(self, path: str, session: int, data: bytes | None) -> "History":
        before, after = Content(b"{}", 0, 0), None if data is None else Content(data, 1, 0)
        change = ZnodeChange(path, before, after, session, 9)
        self.events.append(Happened(50, 0.0, "tool", "tool: writes", znodes=[change]))
        return self

    @property
    def told(self) -> Sequence[str]:
        return [*forgotten(self.events, self.requests, self.observed)]


def test_the_last_accepted_target_must_be_there() -> None:
    first, second = move("t", 0, 2, 3), move("t", 0, 4, 5)
    assert not History(4, 5).asked(first, 1, 2).asked(second, 3, 4).told
    assert History(2, 3).asked(first, 1, 2).asked(second, 3, 4).told == [
        "t-0 was to move to [4, 5] and is to be on [2, 3]"
    ]


def test_a_move_that_goes_on_counts_by_its_target() -> None:
    assert not History(2, 3, 1, adding=(3,)).asked(move("t", 0, 2, 3, 1), 1, 2).told
    assert History(1, 2).asked(move("t", 0, 2, 3), 1, 2).told


def test_of_requests_that_overlap_each_may_be_the_last() -> None:
    first, second = move("t", 0, 2, 3), move("t", 0, 4, 5)
    for replicas in ((2, 3), (4, 5)):
        assert not History(*replicas).asked(first, 1, 9).asked(second, 3, 4).told
    assert History(1, 2).asked(first, 1, 9).asked(second, 3, 4).told


def test_what_was_refused_for_certain_has_no_effect() -> None:
    refused = ErrorCode.INVALID_REPLICA_ASSIGNMENT
    first, second = move("t", 0, 2, 3), move("t", 0, 4, 5)
    assert History(4, 5).asked(first, 1, 2).asked(second, 3, 4, refused).told


@pytest.mark.parametrize("code", [ErrorCode.NOT_CONTROLLER, ErrorCode.UNKNOWN_SERVER_ERROR])
def test_what_has_no_certain_answer_may_have_an_effect(code: ErrorCode) -> None:
    first, second = move("t", 0, 2, 3), move("t", 0, 4, 5)
    assert not History(4, 5).asked(first, 1, 2).asked(second, 3, 4, code).told
    assert not History(4, 5).lost(second, 0).asked(first, 1, 2).told
    assert not History(1, 2).lost(second, 0).told, "nothing was promised"


def test_a_node_that_is_not_in_office_says_so_at_once_and_does_nothing() -> None:
    first, second = move("t", 0, 2, 3), move("t", 0, 4, 5)
    history = History(4, 5).asked(first, 1, 2).asked(second, 3, 3, ErrorCode.NOT_CONTROLLER)
    assert history.told


def test_where_a_cancel_may_be_the_last_nothing_is_said() -> None:
    wanted = move("t", 0, 2, 3)
    assert not History(1, 2).asked(wanted, 1, 2).asked(cancel("t", 0), 3, 4).told
    assert not History(1, 2).asked(wanted, 1, 2).lost(cancel("t", 0), 3).told
    assert History(1, 2).asked(cancel("t", 0), 1, 2).asked(wanted, 3, 4).told


def test_other_requests_say_nothing_of_a_partition() -> None:
    assert not History(1, 2).asked(list_moves(), 1, 2).told


def test_where_somebody_else_wrote_the_assignment_nothing_is_said() -> None:
    path, wanted = paths.topic("t"), move("t", 0, 2, 3)
    data = encode_topic(TopicZnode(2, {0: (1, 2)}, {}, {}))
    assert not History(1, 2).asked(wanted, 1, 2).written(path, NOBODY, data).told
    assert not History(1, 2).asked(wanted, 1, 2).written(path, A_NODE, None).told, "deleted"
    assert not History(1, 2).asked(wanted, 1, 2).written(paths.REASSIGN_PARTITIONS, 0, data).told
    assert History(1, 2).asked(wanted, 1, 2).written(path, A_NODE, data).told
    assert History(1, 2).asked(wanted, 1, 2).written(path, NOBODY, b"{}").told, "the same again"


def test_a_topic_that_is_gone_is_nothing_to_speak_of() -> None:
    history = History(1, 2).asked(move("t", 0, 2, 3), 1, 2)
    history.observed.topics.clear()
    assert not history.told
