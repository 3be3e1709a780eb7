"""AlterTopics: its checks in their order, and what each of its fields comes to."""

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

import pytest
from core.clusters import Ledger, broker, cluster, partition, read_topic, topic

from klamm.controller.core.admin_znodes import AdminReassignments
from klamm.controller.core.events import (
    AlterReassignment,
    AlterTopic,
    CheckPartition,
    CreatePartitions,
    CreateTopic,
    StateRead,
)
from klamm.controller.core.model import (
    Assignment,
    ClusterState,
    Deletion,
    Leadership,
    TopicPartition,
)
from klamm.controller.core.ops import SetData
from klamm.controller.core.pace import Limits
from klamm.controller.core.results import Done, Fault, Refusal
from klamm.controller.core.rules import KIP_455
from klamm.controller.core.settings import Settings
from klamm.controller.store.memory_tree import Applied
from klamm.controller.znodes import paths

ALL = (0, 1, 2, 3, 4)
MOVING = partition((3, 1, 2), adding=(3,), removing=(1,), leader=1, isr=(1, 2))
Lists = dict[int, tuple[int, ...]]


def world(*, moving: bool = False, online: tuple[int, ...] = ALL) -> ClusterState:
    """Topic t of three partitions on two brokers each; beside it u, which may move."""
    t = {0: partition((0, 1)), 1: partition((1, 2)), 2: partition((2, 3))}
    u = {0: MOVING if moving else partition((1, 2))}
    return cluster(online, topic("t", t), topic("u", u))


def alter(
    partitions: int = -1, replicas: int = -1, lists: Lists | None = None, name: str = "t"
) -> AlterTopic:
    return AlterTopic(name, partitions, replicas, tuple((lists or {}).items()))


def refused(state: ClusterState, event: AlterTopic) -> tuple[Fault, str]:
    book = Ledger(state)
    result = book.ask(event)
    assert isinstance(result, Refusal), result
    assert book.state == state
    return result.fault, result.message


def done(state: ClusterState, event: AlterTopic) -> Ledger:
    book = Ledger(state)
    assert book.ask(event) == Done()
    return book


def assignments(book: Ledger, name: str = "t") -> dict[int, Assignment]:
    return {n: p.assignment for n, p in book.state.topics[name].partitions.items()}


# --- what is refused, and with what first -------------------------------------------------------

#: Puts a fault of each code into a request that moves something; the last is the cluster's.
FAULTS: dict[Fault, Callable[[AlterTopic], AlterTopic]] = {
    Fault.INVALID_TOPIC_EXCEPTION: lambda event: replace(event, name="foo"),
    Fault.INVALID_PARTITIONS: lambda event: replace(event, partitions=0),
    Fault.INVALID_REPLICATION_FACTOR: lambda event: replace(event, replicas=0),
    Fault.INVALID_REPLICA_ASSIGNMENT: lambda event: also(event, 0, (0, 0)),
    Fault.UNKNOWN_MEMBER_ID: lambda event: also(event, 1, (99, 2)),
    Fault.REASSIGNMENT_IN_PROGRESS: lambda event: event,
}


def also(event: AlterTopic, number: int, replicas: tuple[int, ...]) -> AlterTopic:
    return replace(event, assignment=((number, replicas), *event.assignment))


def name_of(fault: Fault) -> str:
    return fault.name


@pytest.mark.req("R179A-24")
@pytest.mark.parametrize(("first", "second"), [*combinations(FAULTS, 2)], ids=name_of)
def test_of_two_faults_the_first_in_order_is_told(first: Fault, second: Fault) -> None:
    event = FAULTS[first](FAULTS[second](alter(lists={2: (4, 3)})))
    moving = second is Fault.REASSIGNMENT_IN_PROGRESS
    assert refused(world(moving=moving), event)[0] is first


@pytest.mark.req("R179A-24")
@pytest.mark.parametrize("fault", FAULTS, ids=name_of)
def test_each_fault_alone(fault: Fault) -> None:
    event = FAULTS[fault](alter(lists={2: (4, 3)}))
    assert refused(world(moving=fault is Fault.REASSIGNMENT_IN_PROGRESS), event)[0] is fault
    assert Ledger(world()).ask(alter(lists={2: (4, 3)})) == Done()


@pytest.mark.req("R179A-25")
def test_an_unknown_topic() -> None:
    told = refused(world(), alter(name="foo"))
    assert told == (Fault.INVALID_TOPIC_EXCEPTION, "Topic foo does not exist.")
    book = Ledger(world())
    book.turn(CreateTopic("new", 1, 1, {}, {}, 0, 0), alter(3, name="new"))
    assert book.results[2] == [Refusal(Fault.INVALID_TOPIC_EXCEPTION, "Topic new does not exist.")]


@pytest.mark.req("R179A-25")
def test_a_topic_that_is_to_be_deleted() -> None:
    state = replace(world(), deleting={"t": Deletion()})
    told = refused(state, alter(4))
    assert told == (Fault.INVALID_TOPIC_EXCEPTION, "Topic t is queued for deletion.")


@pytest.mark.req("R179A-26")
@pytest.mark.parametrize(
    ("count", "text"),
    [
        (2, "Topic t has 3 partitions, and cannot have fewer: 2."),
        (0, "Topic t cannot have 0 partitions; -1 leaves their number as it is, which is 3."),
        (-2, "Topic t cannot have -2 partitions; -1 leaves their number as it is, which is 3."),
    ],
)
def test_a_partition_count_that_cannot_be(count: int, text: str) -> None:
    assert refused(world(), alter(count)) == (Fault.INVALID_PARTITIONS, text)


@pytest.mark.req("R179A-26")
@pytest.mark.parametrize("count", [-1, 3])
def test_a_partition_count_that_changes_nothing(count: int) -> None:
    book = done(world(), alter(count))
    assert book.state == world()


@pytest.mark.req("R179A-26")
def test_more_partitions_than_a_znode_holds() -> None:
    fault, text = refused(world(), alter(10_000_000))
    assert fault is Fault.INVALID_PARTITIONS
    assert "10000000, but a topic's znode holds about" in text


@pytest.mark.req("R179A-27")
@pytest.mark.parametrize(
    ("factor", "text"),
    [
        (0, "Replication factor 0 is not above 0; -1 leaves it as it is."),
        (-2, "Replication factor -2 is not above 0; -1 leaves it as it is."),
        (6, "Replication factor: 6 larger than available brokers: 5."),
    ],
)
def test_a_factor_that_cannot_be(factor: int, text: str) -> None:
    told = (Fault.INVALID_REPLICATION_FACTOR, text)
    assert refused(world(), alter(replicas=factor)) == told
    assert refused(world(), alter(replicas=factor, lists={0: (4, 1)})) == told


@pytest.mark.req("R179A-27")
@pytest.mark.parametrize("factor", [-1, 2])
def test_a_factor_that_changes_nothing(factor: int) -> None:
    # Whether it could be had now does not matter.
    for online in (ALL, (0,)):
        book = done(world(online=online), alter(replicas=factor))
        assert book.state == world(online=online)


@pytest.mark.req("R179A-27")
def test_only_brokers_that_stay_count() -> None:
    leaving = replace(world(), shutting_down=frozenset({4}))
    told = "Replication factor: 5 larger than available brokers: 4."
    assert refused(leaving, alter(replicas=5))[1] == told
    # New partitions need as many as the others.
    few = refused(world(online=(0,)), alter(4))
    told = "Replication factor: 2 larger than available brokers: 1."
    assert few == (Fault.INVALID_REPLICATION_FACTOR, told)


@pytest.mark.req("R179A-28")
@pytest.mark.parametrize(
    ("event", "text"),
    [
        (alter(lists={-1: (0, 1)}), "Topic t is to have 3 partitions, and none -1."),
        (alter(lists={3: (0, 1)}), "Topic t is to have 3 partitions, and none 3."),
        (alter(4, lists={3: (0, 1), 4: (0, 1)}), "Topic t is to have 4 partitions, and none 4."),
        (
            AlterTopic("t", assignment=((0, (0, 4)), (0, (0, 4)))),
            "Partition 0 is named twice.",
        ),
        (alter(lists={0: ()}), "No replicas are named for partition 0."),
        (alter(lists={0: (4, 4)}), "Partition 0 names a broker twice: 4, 4."),
        (alter(lists={0: (4, -5)}), "Partition 0 names a negative broker id: 4, -5."),
        (alter(6, lists={4: (0, 1)}), "No replicas are named for new partitions: 3, 5."),
        (alter(lists={0: (4,)}), "Partition 0 is to have 2 replicas, not 1: 4."),
        (alter(4, lists={3: (4, 1, 2)}), "Partition 3 is to have 2 replicas, not 3: 4, 1, 2."),
        (
            alter(replicas=3, lists={0: (0, 1), 1: (1, 2, 3), 2: (2, 3, 4)}),
            "Partition 0 is to have 3 replicas, not 2: 0, 1.",
        ),
        (
            alter(replicas=3, lists={0: (0, 1, 2), 2: (2, 3, 4)}),
            "Partition 1 is not named, and would keep 2 replicas, not 3. Name all, or none.",
        ),
    ],
)
def test_an_assignment_that_is_wrong(event: AlterTopic, text: str) -> None:
    assert refused(world(), event) == (Fault.INVALID_REPLICA_ASSIGNMENT, text)


@pytest.mark.req("R179A-29")
def test_unknown_brokers() -> None:
    fault, text = refused(world(), alter(lists={0: (0, 4), 1: (99, 2)}))
    assert fault is Fault.UNKNOWN_MEMBER_ID
    assert text == "Partition 1 names unknown brokers: 99. Registered are: 0, 1, 2, 3, 4."
    fault, _ = refused(world(), alter(lists={0: (-5, 99)}))
    assert fault is Fault.INVALID_REPLICA_ASSIGNMENT


@pytest.mark.req("R179A-29")
def test_a_broker_that_is_away_stays_where_it_is() -> None:
    book = done(world(online=(0, 2, 3, 4)), alter(lists={0: (4, 1)}))
    assert assignments(book)[0] == Assignment((4, 1, 0), (4,), (0,))
    away = world(online=(0, 2, 3, 4))
    assert refused(away, alter(lists={2: (2, 1)}))[0] is Fault.UNKNOWN_MEMBER_ID


@pytest.mark.req("R179A-40")
def test_racks_of_some_brokers_are_none() -> None:
    racks = {id_: broker(id_, rack="r" if id_ < 3 else None) for id_ in ALL}
    state = replace(world(), brokers=racks)
    for event in (alter(4), alter(replicas=3), alter(replicas=1)):
        fault, text = refused(state, event)
        assert fault is Fault.INVALID_REPLICATION_FACTOR
        told = "Not all brokers have rack information for replica rack aware assignment."
        assert text.startswith(told)
        assert "brokers 3, 4" in text
    # Nothing is calculated here.
    assert done(state, alter(lists={0: (0, 4)}))
    assert done(state, alter())


@pytest.mark.req("R179A-30")
def test_one_reassignment_at_a_time() -> None:
    told = (Fault.REASSIGNMENT_IN_PROGRESS, "A partition reassignment is in progress.")
    busy = world(moving=True)
    assert refused(busy, alter(lists={0: (0, 4)})) == told
    assert refused(busy, alter(replicas=3)) == told
    assert refused(busy, alter(4, replicas=3)) == told
    # Growth alone needs no move; but nobody gives a topic partitions while it moves.
    assert len(assignments(done(busy, alter(4)))) == 4
    assert refused(busy, alter(2, name="u")) == told
    # Nor does what is so already, wherever it is on its way to.
    assert done(busy, alter(lists={0: (0, 1)})).state == busy
    assert done(busy, alter(1, 2, {0: (3, 2)}, name="u")).state == busy
    assert refused(busy, alter(lists={0: (1, 2)}, name="u")) == told


@pytest.mark.req("R179A-30")
def test_what_a_znode_orders_is_a_reassignment() -> None:
    entry = {TopicPartition("u", 0): (3, 4)}
    state = replace(world(), admin=AdminReassignments(0, 50, entry, entry))
    assert refused(state, alter(replicas=3))[0] is Fault.REASSIGNMENT_IN_PROGRESS


@pytest.mark.req("R179A-30")
def test_a_move_of_the_same_turn_counts() -> None:
    book = Ledger(world())
    book.turn(AlterReassignment(TopicPartition("u", 0), (3, 4)), alter(replicas=3))
    assert isinstance(book.results[2][0], Refusal)
    # One that ends in it does not.
    ready = partition((3, 2), adding=(3,), leader=2, isr=(2, 3))
    state = cluster(ALL, topic("t", {0: partition((0, 1))}), topic("u", {0: ready}))
    book = Ledger(state)
    book.turn(CheckPartition(TopicPartition("u", 0)), alter(replicas=3))
    assert book.results[2] == [Done()]


@pytest.mark.req("R179A-30", "R179A-31")
def test_the_topics_of_one_request_are_one_reassignment() -> None:
    book = Ledger(world())
    asked = [alter(replicas=3), alter(replicas=9, name="u"), alter(name="v"), alter(2, name="u")]
    first = [replace(event, place=place) for place, event in enumerate(asked)]
    second = alter(replicas=3, name="u")
    book.turn(*first, second)
    faults = [getattr(book.results[n][0], "fault", None) for n in range(1, 6)]
    assert faults == [
        None,
        Fault.INVALID_REPLICATION_FACTOR,
        Fault.INVALID_TOPIC_EXCEPTION,
        None,
        Fault.REASSIGNMENT_IN_PROGRESS,
    ]


@pytest.mark.req("R179A-30")
def test_a_part_of_a_request_that_is_decided_again_is_not_held_up_by_the_rest() -> None:
    book = Ledger(world())
    both = (alter(replicas=3), replace(alter(replicas=3, name="u"), place=1))
    # Commits as if each had been full: the second one fails, and its cause is decided anew.
    first, second = (replace(event, place=n) for n, event in enumerate(both))
    plan = book.plan(first, second)
    assert {cause for commit in plan for cause in commit.causes} == {1, 2}
    alone = Ledger(world())
    for commit in alone.plan(first):
        alone.carry_out(commit)
    assert alone.ask(second) == Done()
    # Another request with a second topic is another one.
    assert isinstance(alone.ask(replace(second, name="t", replicas=4)), Refusal)


# --- what is done -------------------------------------------------------------------------------


@pytest.mark.req("R179A-34")
def test_nothing_asked_for_is_nothing_done() -> None:
    book = Ledger(world())
    before = book.tree.nodes[paths.topic("t")].data
    (commit,) = book.plan(alter())
    assert commit.ops == ()
    book.carry_out(commit)
    assert book.results[1] == [Done()]
    assert book.tree.nodes[paths.topic("t")].data == before
    assert book.writes("t") == 2


@pytest.mark.req("R179A-32", "R179A-42")
def test_listed_partitions_move_and_others_stay() -> None:
    book = done(world(), alter(lists={2: (4, 3), 0: (0, 1)}))
    znode = read_topic(book.tree, "t")
    assert znode.partitions == {0: (0, 1), 1: (1, 2), 2: (4, 3, 2)}
    assert (znode.adding, znode.removing) == ({2: (4,)}, {2: (2,)})


def test_in_profile_kip_455_what_leaves_comes_first() -> None:
    book = Ledger(world(), Settings(KIP_455))
    assert book.ask(alter(4, lists={2: (4, 3), 3: (0, 1)})) == Done()
    assert assignments(book)[2] == Assignment((2, 4, 3), (4,), (2,))
    assert assignments(book)[3] == Assignment((0, 1))


@pytest.mark.req("R179A-33")
def test_new_partitions_and_moves_are_one_write() -> None:
    book = Ledger(world())
    (commit,) = (each for each in book.plan(alter(5, replicas=3)) if each.ops)
    topic_writes = [op for op in commit.ops if op.path == paths.topic("t")]
    assert [type(op) for op in topic_writes] == [SetData]
    book.carry_out(commit)
    assert assignments(book) == {
        0: Assignment((0, 1, 2), (2,)),
        1: Assignment((1, 2, 3), (3,)),
        2: Assignment((2, 3, 0), (0,)),
        3: Assignment((3, 4, 0)),
        4: Assignment((4, 0, 1)),
    }
    held = [part.leadership for part in book.state.topics["t"].partitions.values()]
    assert [each.leader_epoch for each in held if each] == [4, 4, 4, 0, 0]
    assert commit.results == ((1, Done()),)
    kinds = [entry.kind for entry in commit.entries]
    assert sorted(kinds) == ["accept"] * 3 + ["initialize"] * 2 + ["topic-altered"]
    (entry,) = (each for each in commit.entries if each.kind == "topic-altered")
    assert (entry.topic, entry.text) == ("t", "3 to 5 partitions, 3 of them move")


@pytest.mark.req("R179A-39")
def test_a_smaller_factor_is_a_move_that_ends_at_once() -> None:
    book = done(world(), alter(replicas=1))
    assert assignments(book)[2] == Assignment((2, 3), (), (3,))
    book.settle(*(CheckPartition(TopicPartition("t", n)) for n in range(3)))
    assert assignments(book) == {n: Assignment((n,)) for n in range(3)}


@pytest.mark.req("R179A-28", "R179A-33")
def test_counts_and_lists_together() -> None:
    lists: Lists = {0: (4, 0, 1), 1: (1, 2, 3), 2: (3, 2, 4), 3: (0, 1, 2)}
    book = done(world(), alter(4, 3, lists))
    assert {n: each.target for n, each in assignments(book).items()} == lists
    assert read_topic(book.tree, "t").adding == {0: (4,), 1: (3,), 2: (4,)}


@pytest.mark.req("R179A-35")
def test_it_goes_on_as_any_move() -> None:
    book = done(world(), alter(lists={0: (4, 1), 1: (4, 2)}))
    assert book.state.topics["t"].moving == (0, 1)
    assert book.ask(AlterReassignment(TopicPartition("t", 0), None)) == Done()
    held = book.state.topics["t"].partitions[1].leadership
    assert held is not None
    joined = replace(held, isr=(1, 2, 4), version=held.version + 1)
    path = paths.state("t", 1)
    data = b'{"controller_epoch":5,"leader":1,"version":1,"leader_epoch":4,"isr":[1,2,4]}'
    assert isinstance(book.tree.apply((SetData(path, data, held.version),), session=0), Applied)
    joined = Leadership(1, 4, (1, 2, 4), 5, held.version + 1)
    book.settle(StateRead(TopicPartition("t", 1), joined))
    assert assignments(book)[0] == Assignment((1, 0))
    assert assignments(book)[1] == Assignment((4, 2))
    # And now the next one may come.
    assert book.ask(alter(replicas=3)) == Done()


@pytest.mark.req("R179A-35")
def test_it_is_made_in_steps_where_moves_are_limited() -> None:
    book = Ledger(replace(world(), limits=Limits(replicas=1, partitions=1)))
    book.settle(replace(alter(4, replicas=4)))
    assert book.results[1] == [Done()]
    assert book.writes("t") == 3
    parts = book.state.topics["t"].partitions
    targets = {number: part.assignment.target for number, part in parts.items()}
    assert {number: len(target) for number, target in targets.items()} == dict.fromkeys(range(4), 4)
    paces = [parts[number].pace for number in range(3)]
    running = [pace.running.adding for pace in paces if pace and pace.running]
    assert running == [targets[0][2:3]]
    assert parts[0].hosted == targets[0][:3]
    assert [parts[number].hosted for number in (1, 2)] == [(1, 2), (2, 3)]
    assert parts[3].pace is None


def test_an_uneven_topic_keeps_its_factors_until_one_is_asked_for() -> None:
    uneven = cluster(ALL, topic("t", {0: partition((0, 1)), 1: partition((1, 2, 3))}))
    book = done(uneven, alter(3, lists={1: (4, 2, 3), 2: (3, 4)}))
    assert assignments(book)[1].target == (4, 2, 3)
    assert assignments(done(uneven, alter(3)))[2] == Assignment((2, 3))
    book = done(uneven, alter(replicas=2))
    assert {n: each.target for n, each in assignments(book).items()} == {0: (0, 1), 1: (1, 2)}
    # Partition 0 has the factor, so that it need not be named.
    assert done(uneven, alter(replicas=2, lists={1: (1, 4)}))


def test_partitions_with_gaps_or_none_cannot_grow() -> None:
    for parts in ({}, {0: partition((0, 1)), 2: partition((0, 1))}):
        fault, text = refused(cluster(ALL, topic("t", parts)), alter(5))
        assert fault is Fault.UNKNOWN_SERVER_ERROR
        assert "not numbered from 0 without a gap" in text
        assert done(cluster(ALL, topic("t", parts)), alter()).writes("t") == 2


def test_what_cannot_be_moved_is_refused_before_anything_is() -> None:
    parts = {0: partition((0, 1)), 1: partition((1, 2), leader_epoch=2**31 - 1)}
    fault, text = refused(cluster(ALL, topic("t", parts)), alter(4, 3))
    assert fault is Fault.UNKNOWN_SERVER_ERROR
    assert text.startswith("t-1 cannot be moved: leader epoch 2147483647")
    parts[1] = partition((1, 2), leader=1, isr=())
    fault, text = refused(cluster(ALL, topic("t", parts)), alter(4, 3))
    assert (fault, "no replica in sync" in text) == (Fault.UNKNOWN_SERVER_ERROR, True)


@pytest.mark.parametrize(
    "path", [paths.topic("t"), paths.state("t", 1), paths.replica_deletions("t")]
)
def test_what_cannot_be_read_is_left_alone(path: str) -> None:
    state = replace(world(), unreadable={path: "no JSON"})
    fault, text = refused(state, alter(replicas=3))
    assert (fault, text.endswith("no JSON")) == (Fault.UNKNOWN_SERVER_ERROR, True)


def test_a_reading_of_the_same_turn_is_not_undone() -> None:
    """The topic's znode is written anew, its partitions' states are as they were read last."""
    for event in (alter(5), alter(replicas=3), CreatePartitions("t", 5)):
        book = Ledger(world())
        path = paths.state("t", 1)
        data = b'{"controller_epoch":4,"leader":1,"version":1,"leader_epoch":3,"isr":[1]}'
        assert isinstance(book.tree.apply((SetData(path, data, 7),), session=0), Applied)
        read = Leadership(1, 3, (1,), 4, 8)
        book.turn(StateRead(TopicPartition("t", 1), read), event)
        assert book.results[2] == [Done()]
        held = book.state.topics["t"].partitions[1].leadership
        assert held is not None
        assert held.isr == (1,)
