"""Nodes that take themselves, or are taken, for a controller that they are not.

Each test is named for what went wrong in Kafka's history, and shows that it cannot happen here.
"""

import pytest
from node.moving import T, commits, with_topic
from node_world import World, in_office

from klamm.controller.core.events import AlterReassignment
from klamm.controller.core.ops import ANY_VERSION, Create, Delete, SetData
from klamm.controller.core.results import NOT_CONTROLLER, Done
from klamm.controller.node import Phase
from klamm.controller.node.effects import Commit, Send
from klamm.controller.node.inputs import Woke
from klamm.controller.znodes import paths
from klamm.controller.znodes.controller import ControllerZnode, encode_controller

ALTER = AlterReassignment(T, (4, 3, 2))
OTHER = encode_controller(ControllerZnode(901, 0))
OWN = encode_controller(ControllerZnode(900, 0))


def take(world: World, content: bytes = OTHER) -> None:
    """Have somebody else elected who says that he is this one."""
    if world.exists(paths.CONTROLLER):
        world.write(Delete(paths.CONTROLLER, ANY_VERSION))
    epoch = int(world.zookeeper.tree.nodes[paths.CONTROLLER_EPOCH].data or b"0")
    world.write(
        Create(paths.CONTROLLER, content),
        SetData(paths.CONTROLLER_EPOCH, str(epoch + 1).encode(), ANY_VERSION),
    )


def acts(world: World) -> list[object]:
    """What the node has asked for that brokers or ZooKeeper would hear as a controller's word."""
    return [e for e in world.effects if isinstance(e, Send | Commit)]


def test_several_expiries_in_a_row_end_in_an_office_that_works() -> None:
    """F36, KAFKA-4229: the start was skipped, for the node called itself controller already."""
    world = with_topic()
    epochs = []
    for _ in range(5):
        world.zookeeper.expire(world.store)
        world.settle()
        assert world.node.state is not None
        epochs.append(world.node.state.epoch)
    assert epochs == [2, 3, 4, 5, 6]
    assert world.ask(ALTER) == (Done(),)
    assert world.sent


def test_a_session_that_expires_while_the_next_one_begins() -> None:
    """F36 again: the second end comes before the first is dealt with."""
    world = in_office()
    world.zookeeper.expire(world.store)
    while world.node.phase is not Phase.ELECTING:
        world.step()
    world.zookeeper.expire(world.store)
    world.settle()
    assert world.node.active
    assert world.zookeeper.tree.nodes[paths.CONTROLLER].owner == world.store.session


def test_who_resigns_gives_up_the_session_that_holds_the_office() -> None:
    """F38, KAFKA-5473 and others: resigned in memory, while session and /controller lived on.

    Here /controller goes with the office, for it goes with the session.
    """
    world = with_topic()
    former = world.store.session
    # /controller stays ours, but the epoch is somebody else's: the fence refuses every write.
    world.write(SetData(paths.CONTROLLER_EPOCH, b"77", ANY_VERSION))
    world.request(ALTER)
    world.settle()
    owner = world.zookeeper.tree.nodes[paths.CONTROLLER].owner
    assert world.node.active
    assert owner == world.store.session != former
    assert world.node.state is not None and world.node.state.epoch == 78


def test_its_own_id_in_controller_from_an_earlier_session_is_no_office() -> None:
    """F39, KAFKA-13407: Kafka finds its id there, stops, and nobody controls."""
    world = in_office()
    world.zookeeper.expire(world.store)
    world.write(Create(paths.CONTROLLER, OWN))  # of a session that ZooKeeper still keeps
    world.settle()
    assert world.node.phase is Phase.STANDBY, "it is somebody's, and that is not us"
    assert world.ask(ALTER) == (NOT_CONTROLLER,)
    world.write(Delete(paths.CONTROLLER, ANY_VERSION))
    world.settle()
    assert world.node.active


def test_its_own_id_from_a_process_that_was_stopped_is_waited_for() -> None:
    """F39 with a restart: the former process had a session that this one knows nothing of."""
    world = World()
    world.write(Create(paths.CONTROLLER, OWN), Create(paths.CONTROLLER_EPOCH, b"3"))
    world.settle()
    assert (world.node.phase, world.node.state) == (Phase.STANDBY, None)
    assert not acts(world)
    world.write(Delete(paths.CONTROLLER, ANY_VERSION))
    world.settle()
    assert world.node.active
    assert world.node.state is not None and world.node.state.epoch == 4


@pytest.mark.parametrize("late", [False, True], ids=["applied", "never arrived"])
def test_a_lost_answer_to_the_election(late: bool) -> None:
    """E9: /controller was made, the answer was lost, and nobody ran the failover."""
    world = World()
    while not any(isinstance(effect, Commit) for effect in world.effects):
        world.step()
    if not late:
        world.zookeeper.serve(world.store)
    world.zookeeper.disconnect(world.store)
    world.settle()
    assert world.node.active
    assert world.zookeeper.tree.nodes[paths.CONTROLLER].owner == world.store.session
    assert world.node.state is not None and world.node.state.epoch == 1


def test_a_newer_epoch_is_never_adopted() -> None:
    """F31, KAFKA-1096: an old controller woke, read the epoch of the new one, and used it."""
    world = with_topic()
    held = world.node.state
    assert held is not None
    world.write(SetData(paths.CONTROLLER_EPOCH, b"9", ANY_VERSION))
    world.zookeeper.disconnect(world.store)  # so that it reads everything again
    world.effects.clear()
    for _ in range(50):
        if not world.step():
            break
        state = world.node.state
        assert state is None or (state.epoch, state.fence_version) == (1, 1) or state.epoch == 10
        for effect in world.effects:
            if isinstance(effect, Commit) and effect.fence is not None:
                assert effect.fence.version in (1, 3)
    assert world.node.state is not None
    assert world.node.state.epoch == 10, "its own election gave it that one"


def test_what_was_queued_is_not_carried_out_after_the_office_is_lost() -> None:
    """F35, KAFKA-4447: a controller that had resigned went on with what was in its queue."""
    world = with_topic()
    world.silent = {1, 2, 3, 4, 5}
    request = world.request(ALTER)
    world.register(7)
    world.leader_writes_isr(T, [1, 2])
    take(world)
    world.effects.clear()
    world.settle()
    assert world.node.phase is Phase.STANDBY
    assert world.replies[request] == [(NOT_CONTROLLER,)]
    assert not [e for e in acts(world) if isinstance(e, Send)]
    world.silent.clear()
    world.settle()
    assert not [e for e in acts(world) if isinstance(e, Send)]
    assert len(world.replies[request]) == 1


def test_who_wakes_asks_before_it_writes_or_sends() -> None:
    """E8: stopped past its session, a controller wakes and goes on as if nothing had been."""
    world = with_topic()
    world.zookeeper.end_session(world.store)
    take(world)
    world.effects.clear()
    world.give(Woke(30.0))
    request = world.request(ALTER)
    listed = world.request()
    world.feed()
    assert not acts(world)
    assert not world.replies.get(listed)
    world.zookeeper.disconnect(world.store)
    world.settle()
    assert world.node.phase is Phase.STANDBY
    assert not [e for e in acts(world) if isinstance(e, Send)]
    assert world.replies[request] == [(NOT_CONTROLLER,)]
    assert world.replies[listed] == [(NOT_CONTROLLER,)]


def test_who_wakes_in_time_goes_on_once_zookeeper_has_said_so() -> None:
    world = with_topic()
    world.give(Woke(10.0))
    request, listed = world.request(ALTER), world.request()
    world.feed()
    assert not commits(world)
    assert world.node.doubtful
    world.settle()
    assert world.replies[request] == [(Done(),)]
    assert world.replies[listed] == [()]
    assert commits(world)
    assert not world.resigned
    [warning] = [entry.text for entry in world.journal if entry.kind == "stood still"]
    assert warning.startswith("after 10.0 s")


def test_an_answer_from_before_the_standstill_proves_nothing() -> None:
    world = with_topic()
    world.zookeeper.disconnect(world.store)
    world.zookeeper.connect(world.store)
    world.feed()
    while world.store.outgoing:
        world.zookeeper.serve(world.store)
    asked = world.node.office.question
    world.give(Woke(30.0))
    assert world.node.office.question != asked
    while world.store.incoming:
        world.zookeeper.deliver(world.store)
    world.feed()
    assert world.node.doubtful, "all that came was asked for before"
    world.settle()
    assert world.node.active
    assert not world.node.doubtful


def test_who_wakes_and_is_not_told_gives_the_office_up() -> None:
    world = with_topic()
    world.give(Woke(30.0))
    request = world.request(ALTER)
    world.zookeeper.cut(world.store)
    world.settle()
    assert request not in world.replies
    world.run_timer("session")
    world.zookeeper.heal(world.store)
    world.settle()
    assert world.replies[request] == [(NOT_CONTROLLER,)]


def test_standing_still_out_of_office_is_nothing() -> None:
    world = World()
    world.write(Create(paths.CONTROLLER, OTHER))
    world.settle()
    assert world.give(Woke(30.0)) == ()


def test_who_wakes_while_it_reads_answers_no_list_before_it_knows_the_cluster() -> None:
    world = with_topic()
    world.ask(AlterReassignment(T, (4, 3, 2)))
    world.zookeeper.expire(world.store)
    while world.node.phase is not Phase.LOADING:
        world.step()
    world.give(Woke(30.0))
    listed = world.request()
    for _ in range(100):
        if listed in world.replies:
            break
        world.step()
    assert world.replies[listed] == [()]
    assert world.node.state is not None
    assert [name for name, _ in world.node.state.moving()] == [T]
