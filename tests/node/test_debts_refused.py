"""Debts and notices that ZooKeeper does not show or let be written hold up themselves alone."""

from collections.abc import Callable, Iterator

import pytest
from node.moving import T, clear, commits, create, leads, with_topic
from node.takeover import kill, take_over
from node.test_debts import DEBTS, NEW, OLD, config, deletes, join
from node.test_owed_deletes import debts
from node.test_refused import fill
from node_world import World

from klamm.controller.core.draft import Draft
from klamm.controller.core.events import (
    AlterReassignment,
    ClearDebts,
    DeleteTopic,
)
from klamm.controller.core.model import Awaiting, ClusterState, TopicPartition
from klamm.controller.core.ops import ANY_VERSION, Create, Delete, Op, SetData
from klamm.controller.core.results import Fault, Refusal
from klamm.controller.core.settings import Settings
from klamm.controller.node.clearing import CLEAR_TIMER
from klamm.controller.node.places import MAX_NAME, Place, locate
from klamm.controller.node.turns import RETRY_TIMER
from klamm.controller.znodes import paths
from klamm.controller.znodes.admin import (
    LogDirEvent,
    Reassignment,
    encode_log_dir_event,
    encode_reassign_partitions,
)

NOTICE = f"{paths.LOG_DIR_EVENT_PREFIX}0000000000"


def a_second(world: World) -> None:
    """Let every timer run out."""
    for timer in tuple(world.due):
        world.run_timer(timer)
    world.settle()


def tries(world: World) -> int:
    """How many writes were tried while a second passed."""
    before = len(commits(world))
    a_second(world)
    return len(commits(world)) - before


def given_up(world: World) -> list[str]:
    return [note.text for note in world.journal if note.kind == "given up"]


def paid(ibp: str = OLD) -> World:
    """Broker 4 was dropped and has deleted, which is not written down yet."""
    world = with_topic(config(ibp))
    world.ask(AlterReassignment(T, (4, 2, 3)), AlterReassignment(T, None))
    world.ask(AlterReassignment(T, (4, 2, 3)))
    world.ask(AlterReassignment(T, None))
    assert world.due == {CLEAR_TIMER: 1.0}
    return world


def hidden(ibp: str = NEW, owed: bytes = b'{"0":[5]}') -> World:
    """T is led by broker 1, and the next controller is not shown who owes deletes of it."""
    world = with_topic(config(ibp))
    world.write(Create(DEBTS, b'{"version":1,"partitions":%s}' % owed))
    world.zookeeper.tree.nodes[DEBTS].closed = True
    take_over(world)
    return world


def show(world: World) -> None:
    world.zookeeper.tree.nodes[DEBTS].closed = False
    world.write(SetData(DEBTS, world.zookeeper.tree.nodes[DEBTS].data, ANY_VERSION))
    world.settle()


def remit(world: World) -> None:
    world.write(Delete(DEBTS, ANY_VERSION))
    world.settle()


# --- what may not be written -----------------------------------------------------------------


@pytest.mark.parametrize("ibp", [OLD, NEW])
def test_what_may_not_be_crossed_off_is_tried_once_a_second_and_told_once(ibp: str) -> None:
    world = paid(ibp)
    fill(world, DEBTS)
    world.ask(create(name="u"))
    for _ in range(3):
        assert tries(world) == 1
        assert world.due == {RETRY_TIMER: 1.0}
    for _ in range(3):
        # Others' debts come and are crossed off meanwhile.
        world.ask(AlterReassignment(TopicPartition("u", 0), (4, 2, 3)))
        world.ask(AlterReassignment(TopicPartition("u", 0), None))
        a_second(world)
        assert world.node.turns is not None
        assert [cause.event for cause in world.node.turns.given_up] == [ClearDebts("t")]
        assert not world.exists(paths.replica_deletions("u"))
    (text,) = given_up(world)
    assert f"{DEBTS}: QUOTAEXCEEDED. Let the controller write there" in text
    fill(world)
    assert tries(world) == 1
    assert not world.exists(DEBTS)
    assert world.due == {}


def test_a_failure_after_a_success_is_told_again() -> None:
    world = paid()
    fill(world, DEBTS)
    a_second(world)
    fill(world)
    a_second(world)
    world.ask(AlterReassignment(T, (4, 2, 3)))
    world.ask(AlterReassignment(T, None))
    fill(world, DEBTS)
    a_second(world)
    a_second(world)
    assert len(given_up(world)) == 2


def test_nothing_piles_up_while_nobody_hears_the_node() -> None:
    world = paid()
    world.zookeeper.disconnect(world.store)
    world.feed()
    for _ in range(5):
        if CLEAR_TIMER in world.due:
            world.run_timer(CLEAR_TIMER)
        world.feed()
    assert not world.node.connected
    assert world.node.turns is not None
    assert [cause.event for cause in world.node.turns.queue] == [ClearDebts("t")]
    world.settle()
    assert debts(world) == {}


def test_who_asks_for_what_may_not_be_written_hears_which_znode_it_is() -> None:
    world = with_topic()
    world.ask(AlterReassignment(T, (4, 2, 3)))
    fill(world, DEBTS)
    (refusal,) = world.ask(AlterReassignment(T, None))
    assert isinstance(refusal, Refusal)
    assert refusal.fault is Fault.UNKNOWN_SERVER_ERROR
    assert f"{DEBTS}: QUOTAEXCEEDED" in refusal.message
    # The end drops a replica, too: it waits, and all else goes on.
    join(world, 1, 2, 3, 4)
    assert world.data(paths.topic("t"))["adding_replicas"] == {"0": [4]}
    assert [tries(world) for _ in range(3)] == [1] * 3
    fill(world)
    a_second(world)
    assert world.data(paths.topic("t"))["partitions"] == {"0": [4, 2, 3]}


def test_a_notice_that_may_not_be_removed_is_acted_on_once() -> None:
    world = with_topic(partitions=50)
    fill(world, NOTICE)
    world.write(Create(NOTICE, encode_log_dir_event(LogDirEvent(3))))
    world.settle()
    assert len(leads(world, 3)) == 50
    assert [tries(world) for _ in range(4)] == [1] * 4
    assert len(leads(world, 3)) == 50
    assert len(given_up(world)) == 1
    fill(world)
    a_second(world)
    assert not world.exists(NOTICE)
    assert len(leads(world, 3)) == 50
    assert world.due == {}


# --- what is not shown -----------------------------------------------------------------------


@pytest.mark.parametrize("mend", [show, remit])
@pytest.mark.parametrize("ibp", [OLD, NEW])
def test_replicas_stay_while_nobody_is_shown_who_owes_deletes(
    mend: Callable[[World], None], ibp: str
) -> None:
    world = with_topic(config(ibp))
    world.ask(AlterReassignment(T, (4, 2, 3)))
    world.write(Create(DEBTS, b'{"version":1,"partitions":{"0":[5]}}'))
    world.zookeeper.tree.nodes[DEBTS].closed = True
    take_over(world)
    join(world, 1, 2, 3, 4)
    for target in ((5, 2, 3), None):
        (refusal,) = world.ask(AlterReassignment(T, target))
        assert isinstance(refusal, Refusal)
        assert refusal.fault is Fault.UNKNOWN_SERVER_ERROR
        assert f"{DEBTS}: ZooKeeper does not show it: NOAUTH" in refusal.message
        assert "or delete it" in refusal.message
    assert [tries(world) for _ in range(3)] == [0] * 3
    assert world.data(paths.topic("t"))["adding_replicas"] == {"0": [4]}
    assert [DEBTS in note.text for note in world.journal if note.kind == "unreadable"] == [True]
    # Whoever leads is no matter of debts.
    world.unregister(1)
    world.settle()
    assert world.data(paths.state(*T))["leader"] in (2, 4)
    mend(world)
    assert world.data(paths.topic("t"))["partitions"] == {"0": [4, 2, 3]}
    assert debts(world) == {T: {1, 5} if mend is show else {1}}


def test_what_is_hidden_in_office_ends_no_tries_but_the_first() -> None:
    """Nobody knew of the znode: the write of the cancel finds it."""
    world = with_topic()
    world.ask(AlterReassignment(T, (4, 2, 3)))
    kill(world)
    world.settle()
    assert world.node.state is not None
    world.zookeeper.tree.nodes[paths.REPLICA_DELETIONS].closed = True
    take_over(world)
    world.zookeeper.tree.nodes[paths.REPLICA_DELETIONS].closed = False
    world.write(Create(DEBTS, b'{"version":1,"partitions":{"0":[5]}}'))
    world.zookeeper.tree.nodes[DEBTS].closed = True
    (refusal,) = world.ask(AlterReassignment(T, None))
    assert isinstance(refusal, Refusal)
    assert f"{DEBTS}: ZooKeeper does not show it" in refusal.message
    assert [tries(world) for _ in range(3)] == [0] * 3


@pytest.mark.parametrize("mend", [show, remit])
def test_a_topic_is_not_deleted_while_nobody_is_shown_who_owes_deletes(
    mend: Callable[[World], None],
) -> None:
    """Or its znode would be another topic's of this name."""
    world = hidden()
    (refusal,) = world.ask(DeleteTopic("t"))
    assert isinstance(refusal, Refusal)
    assert f"{DEBTS}: ZooKeeper does not show it" in refusal.message
    world.write(Create(paths.delete_topic("t"), None))
    world.settle()
    assert world.exists(paths.topic("t"))
    mend(world)
    assert not world.exists(paths.topic("t"))
    assert not world.exists(DEBTS)
    assert (5 in deletes(world)) == (mend is show)


@pytest.mark.parametrize("path", [DEBTS, paths.topic("shut")])
def test_what_could_not_be_read_and_is_removed_while_nobody_looks_is_gone(path: str) -> None:
    world = with_topic()
    world.write(Create(path, b"{"))
    world.zookeeper.tree.nodes[path].closed = True
    take_over(world)
    world.zookeeper.cut(world.store)
    world.settle()
    world.write(Delete(path, ANY_VERSION))
    assert world.node.state is not None
    assert world.node.state.unreadable.keys() == {path}
    world.zookeeper.heal(world.store)
    world.settle()
    assert world.node.state is not None
    assert world.node.state.unreadable == {}


def test_an_order_of_an_old_tool_waits_until_it_is_shown_who_owes_deletes() -> None:
    world = hidden()
    order = encode_reassign_partitions([Reassignment("t", 0, (4, 2, 3))])
    world.write(Create(paths.REASSIGN_PARTITIONS, order))
    world.settle()
    a_second(world)
    assert world.exists(paths.REASSIGN_PARTITIONS)
    assert world.data(paths.topic("t"))["adding_replicas"] == {}
    show(world)
    a_second(world)
    assert world.data(paths.topic("t"))["adding_replicas"] == {"0": [4]}


# --- what is nobody's ------------------------------------------------------------------------


@pytest.mark.parametrize("ibp", [OLD, NEW])
def test_empty_debts_of_topics_that_there_are_not_are_removed(ibp: str) -> None:
    contents = (None, b"", b"{", b"[]", b'{"version":1}', b'{"version":1,"partitions":{}}')
    world = with_topic(config(ibp))
    garbage = [paths.replica_deletions(f"g{number}") for number in range(len(contents))]
    pairs = zip(garbage, contents, strict=True)
    ops: list[Op] = [Create(path, data) for path, data in pairs]
    # A child keeps none of them; garbage that is about a topic can still be mended by hand.
    world.write(*ops, Create(f"{garbage[0]}/x", None), Create(DEBTS, b"{"))
    take_over(world)
    for _ in range(3):
        a_second(world)
    assert [path for path in garbage if world.exists(path)] == []
    assert world.exists(DEBTS)
    assert world.due == {}
    before = len(world.journal)
    take_over(world)
    about = [note.text for note in world.journal[before:] if note.kind == "unreadable"]
    assert [text.startswith(f"{DEBTS}: ") for text in about] == [True]


def test_a_child_below_the_debts_goes_with_the_last_of_them() -> None:
    world = paid()
    world.write(Create(f"{DEBTS}/x", None))
    world.settle()
    for _ in range(3):
        a_second(world)
    assert not world.exists(DEBTS)
    assert world.due == {}


@pytest.mark.parametrize("ibp", [OLD, NEW])
def test_nobody_is_told_of_a_name_that_no_request_can_hold(ibp: str) -> None:
    """One delete of such a topic would keep all others from the same broker."""
    world = with_topic(config(ibp))
    name = "L" * 40_000
    owed = b'{"version":1,"partitions":{"0":[4]}}'
    topic = b'{"version":2,"partitions":{"0":[4]}}'
    world.write(
        Create(paths.replica_deletions(name), owed),
        Create(DEBTS, owed),
        Create(paths.topic(name), topic),
        Create(paths.delete_topic(name), None),
    )
    take_over(world)
    world.write(SetData(paths.replica_deletions(name), owed, ANY_VERSION))
    world.write(SetData(paths.topic(name), topic, ANY_VERSION))
    world.settle()
    assert deletes(world) == [4]
    clear(world)
    assert not world.exists(DEBTS)
    assert all(name not in str(send.message) for send in world.sent)
    remarks = [note.text for note in world.journal if "cannot be told to any broker" in note.text]
    assert [len(text) < 300 for text in remarks] == [True, True]


@pytest.mark.parametrize(
    ("path", "place"),
    [
        (paths.topic, Place.TOPIC),
        (paths.partitions, Place.PARTITIONS),
        (paths.replica_deletions, Place.LEDGER),
    ],
)
def test_the_longest_name_is_one_that_a_request_can_hold(
    path: Callable[[str], str], place: Place
) -> None:
    assert locate(path("\U0001f980" * MAX_NAME)).place is place
    assert locate(path("x" * (MAX_NAME + 1))).place is Place.OTHER
    assert len(("\U0001f980" * MAX_NAME).encode()) <= 32_767


class Counted(dict[TopicPartition, Awaiting]):
    """A mapping that counts how often all of it is looked at."""

    scans = 0

    def __iter__(self) -> Iterator[TopicPartition]:
        self.scans += 1
        return super().__iter__()


def test_what_waits_is_looked_through_once_however_many_topics_are_deleted() -> None:
    names = [TopicPartition(f"t{number % 10}", number) for number in range(100)]
    waiting = Counted((name, Awaiting(1, 1, (2,))) for name in names)
    draft = Draft(ClusterState(1, 1, 1, awaiting=waiting), Settings())
    for number in range(10):
        of_topic = tuple(name for name in names if name.topic == f"t{number}")
        assert draft.owing(f"t{number}") == of_topic
        draft.release(of_topic[0])
        draft.wait_for(TopicPartition(f"t{number}", 1_000), Awaiting(1, 1, (2,)))
        later = (*of_topic[1:], TopicPartition(f"t{number}", 1_000))
        assert draft.owing(f"t{number}") == later
    assert draft.owing("unknown") == ()
    assert waiting.scans == 1
