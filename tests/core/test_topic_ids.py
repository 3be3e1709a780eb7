"""Ids of topics: given where topics have ids, kept where they have not, written with the rest."""

from dataclasses import replace
from uuid import UUID

from core.clusters import Ledger, T, cluster, partition, read_topic, topic

from klamm.controller.core.decide import decide
from klamm.controller.core.events import (
    AlterReassignment,
    Cause,
    CheckPartition,
    CreatePartitions,
    TopicRead,
)
from klamm.controller.core.model import (
    Assignment,
    ClusterState,
    Deletion,
    Partition,
    Topic,
    TopicPartition,
)
from klamm.controller.core.ops import Check
from klamm.controller.core.plan import Publish
from klamm.controller.core.results import Done
from klamm.controller.core.settings import Settings
from klamm.controller.core.sizes import PACKET_LIMIT, multi_size
from klamm.controller.znodes import paths

WITH_IDS = Settings(topic_znode_version=3, topic_ids=True)
PARTS = {0: partition((1, 2)), 1: partition((2, 3))}
PLAIN = topic("t", PARTS)


def ledger(state: ClusterState | None = None, settings: Settings = WITH_IDS) -> Ledger:
    return Ledger(state or cluster((1, 2, 3, 4), PLAIN), settings)


def read(found: Topic | None = PLAIN, czxid: int = 40) -> TopicRead:
    return TopicRead("t", found, czxid)


def held(book: Ledger) -> UUID | None:
    return book.state.topics["t"].topic_id


def test_a_topic_gets_an_id_in_one_write_also_if_it_is_no_news() -> None:
    """A write that was refused is made again when the topic is read again."""
    book = ledger()
    book.turn(read())
    assert held(book) is not None
    assert read_topic(book.tree, "t").topic_id == held(book)
    assert (book.writes("t"), read_topic(book.tree, "t").version) == (3, 3)
    assert [entry.kind for entry in book.entries] == ["topic-id"]
    # Clients learn it too; replicas have been waiting for it.
    assert book.messages == [Publish(T), Publish(TopicPartition("t", 1))]


def test_the_id_follows_from_the_topic_alone() -> None:
    ids = set()
    for czxid in (40, 40, 41):
        book = ledger()
        book.turn(read(czxid=czxid))
        ids.add(held(book))
    assert len(ids) == 2


def test_who_gets_none() -> None:
    named = replace(PLAIN, topic_id=UUID(int=3))
    for book, fact in (
        (ledger(settings=Settings()), read()),
        (ledger(cluster((1,), named)), read(named)),
        (ledger(replace(cluster((1,), PLAIN), deleting={"t": Deletion()})), read()),
        (ledger(cluster((1,))), read(None)),
    ):
        before = book.state.topics
        book.turn(fact)
        assert book.state.topics == before


def test_id_growth_and_move_of_one_turn_are_one_write() -> None:
    book = ledger()
    alter = AlterReassignment(T, (4, 2))
    book.turn(read(), CreatePartitions("t", 3), alter)
    assert book.results[2] == book.results[3] == [Done()]
    assert book.writes("t") == 3
    found = book.state.topics["t"]
    assert (found.topic_id is not None, sorted(found.partitions)) == (True, [0, 1, 2])
    assert found.partitions[0].assignment == Assignment((4, 2, 1), (4,), (1,))


def test_partitions_that_wait_for_the_id_are_led_afterwards() -> None:
    bare = topic("t", {0: Partition(Assignment((1, 2)))})
    book = ledger(cluster((1, 2), bare))
    following = book.turn(read(bare))
    assert following == (CheckPartition(T),)
    assert held(book) is not None
    book.settle(*following)
    assert book.t.leader == 1


def test_what_is_read_later_in_the_turn_counts() -> None:
    other = replace(PLAIN, version=9, topic_id=UUID(int=8))
    book = ledger()
    book.tree.nodes[paths.topic("t")].version = 9
    (commit,) = book.plan(read(), read(other))
    assert commit.ops == ()


def test_ids_of_large_topics_are_written_in_as_many_commits_as_they_need() -> None:
    one = partition((1, 2, 3))
    large = [topic(name, dict.fromkeys(range(15_000), one)) for name in ("a", "b", "c")]
    state = cluster((1, 2, 3), *large)
    causes = [Cause(n, TopicRead(each.name, each, 40)) for n, each in enumerate(large, start=1)]
    commits = [commit for commit in decide(state, causes, WITH_IDS) if commit.ops]
    assert [len(commit.ops) for commit in commits] == [1, 1, 1]
    fence = Check(paths.CONTROLLER_EPOCH, 5)
    assert all(multi_size(commit.ops, fence) <= PACKET_LIMIT for commit in commits)
