"""What a topic takes of a Commit: pending moves are kept with it, and never grow too large."""

import json
from collections import Counter
from dataclasses import replace
from uuid import UUID

import pytest
from core.clusters import Ledger, cluster, partition, topic

from klamm.controller.core import shares
from klamm.controller.core.decide import decide
from klamm.controller.core.events import AlterReassignment, Cause
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.ops import Check, SetData
from klamm.controller.core.results import Done, Fault, Refusal
from klamm.controller.core.settings import Settings
from klamm.controller.core.sizes import PACKET_LIMIT, multi_size, op_size
from klamm.controller.core.writes import topic_write
from klamm.controller.znodes import paths


@pytest.mark.req("R455-81")
def test_ten_thousand_moves_are_kept_with_their_topics_and_fit_into_their_writes() -> None:
    topics = [topic(f"t{n}", {p: partition((1, 2, 3)) for p in range(50)}) for n in range(200)]
    state = cluster(range(1, 7), *topics)
    moves = [
        AlterReassignment(TopicPartition(each.name, number), (4, 5, 6))
        for each in topics
        for number in each.partitions
    ]
    causes = [Cause(number, event) for number, event in enumerate(moves, start=1)]
    commits = [commit for commit in decide(state, causes, Settings()) if commit.ops]
    fence = Check(paths.CONTROLLER_EPOCH, 5)
    assert max(multi_size(commit.ops, fence) for commit in commits) <= PACKET_LIMIT
    share = 50 * len('"49":[1,2,3,4,5,6],"49":[4,5,6],"49":[1,2,3],')
    topic_paths = {paths.topic(each.name) for each in topics}
    written: Counter[str] = Counter()
    for op in (op for commit in commits for op in commit.ops):
        assert isinstance(op, SetData)
        pending = json.loads(op.data or b"{}")
        if op.path in topic_paths:
            written[op.path] += 1
            assert len(op.data or b"") <= share + 100
            assert set(pending["adding_replicas"]) <= set(pending["partitions"])
        else:
            assert op.path.endswith("/state")
            assert "adding_replicas" not in pending
    assert set(written) == topic_paths
    assert sum(written.values()) <= len(topics) + len(commits)


@pytest.mark.req("R455-110")
def test_moves_that_would_make_a_topic_too_large_are_refused_all_or_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limit = shares.STATE_BYTES + 1_500
    monkeypatch.setattr(shares, "COMMIT_BYTES", limit)
    large = topic("large", {number: partition((1, 2, 3)) for number in range(30)})
    small = topic("small", {0: partition((1, 2, 3))})
    book = Ledger(cluster(range(1, 7), large, small))
    moves = [AlterReassignment(TopicPartition("large", n), (4, 5, 6)) for n in range(30)]
    book.turn(*moves, AlterReassignment(TopicPartition("small", 0), (4, 5, 6)))
    refusals = {book.results[cause][0] for cause in range(1, 31)}
    (refusal,) = refusals
    assert isinstance(refusal, Refusal)
    assert refusal.fault is Fault.INVALID_REQUEST
    assert str(limit) in refusal.message
    size = next(int(word) for word in refusal.message.split() if word.isdecimal())
    assert size > limit
    assert book.writes("large") == 2
    assert book.results[31] == [Done()]
    assert book.writes("small") == 3
    # A few of them fit.
    book.turn(*moves[:3])
    assert {type(book.results[cause][0]) for cause in (32, 33, 34)} == {Done}


def test_a_topic_of_any_usual_size_is_not_even_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shares, "topic_write", pytest.fail)
    book = Ledger(cluster((1, 2, 3, 4), topic("t", {0: partition((2, 3))})))
    assert book.ask(AlterReassignment(TopicPartition("t", 0), (4, 1))) == Done()


def test_the_bound_of_a_size_is_never_too_small() -> None:
    large_id = 2**31 - 1
    parts = {
        number: partition((large_id, large_id - 1), adding=(large_id,), removing=(large_id - 1,))
        for number in range(100)
    }
    held = topic("x" * 249, parts)
    held = replace(held, topic_id=UUID(int=5))
    assert shares.size_bound(held) > op_size(topic_write(held, Settings()))
