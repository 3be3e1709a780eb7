"""The session with ZooKeeper falters, comes back, and ends."""

import json

import pytest
from node.moving import T, commits, lists, with_topic
from node_world import World, in_office

from klamm.controller.core.events import AlterReassignment
from klamm.controller.core.model import Assignment
from klamm.controller.core.ops import ANY_VERSION, SetData
from klamm.controller.core.results import NOT_CONTROLLER, Done
from klamm.controller.node import Phase
from klamm.controller.node.effects import ArmWatch, ReadZnodes
from klamm.controller.node.inputs import Timer
from klamm.controller.store.port import SessionEvent, SessionState
from klamm.controller.znodes import paths


def test_while_disconnected_requests_wait_and_nothing_is_written_or_sent() -> None:
    world = with_topic()
    world.zookeeper.cut(world.store)
    world.settle()
    request = world.request(AlterReassignment(T, (4, 3, 2)))
    world.settle()
    assert request not in world.replies
    assert not commits(world)
    assert not world.sent
    assert world.due == {"session": 18.0}
    world.zookeeper.heal(world.store)
    world.settle()
    assert world.replies[request] == [(Done(),)]


def test_a_request_of_nothing_is_answered_once_when_it_is_certain_who_is_controller() -> None:
    for comes_back, answer in ((True, ()), (False, (NOT_CONTROLLER,))):
        world = with_topic()
        world.zookeeper.cut(world.store)
        world.settle()
        request = world.request()
        world.settle()
        assert request not in world.replies
        if not comes_back:
            world.run_timer("session")
        world.zookeeper.heal(world.store)
        world.settle()
        assert world.replies[request] == [answer]


def test_a_connection_that_is_back_has_every_watch_and_reads_what_it_missed() -> None:
    world = with_topic()
    world.ask(AlterReassignment(T, (4, 3, 2)))
    world.zookeeper.cut(world.store)
    world.settle()
    world.effects.clear()
    world.leader_writes_isr(T, [1, 2, 3, 4])
    world.register(6)
    world.zookeeper.heal(world.store)
    world.settle()
    assert lists(world) == ({"0": [4, 3, 2]}, {}, {})
    assert world.node.state is not None
    assert 6 in world.node.state.brokers
    armed = {w.path for e in world.effects if isinstance(e, ArmWatch) for w in e.watches}
    assert {
        paths.CONTROLLER,
        paths.BROKER_IDS,
        paths.KLAMM_NODES,
        paths.TOPICS,
        paths.ISR_CHANGES,
    } <= armed
    world.register(7)
    world.settle()
    assert 7 in world.node.state.brokers
    assert not world.resigned


def test_a_topic_and_a_state_that_were_changed_meanwhile_are_read_again() -> None:
    world = with_topic()
    world.zookeeper.cut(world.store)
    world.settle()
    changed = {"version": 2, "partitions": {"0": [4, 1, 2, 3]}, "adding_replicas": {"0": [4]}}
    world.write(SetData(paths.topic("t"), json.dumps(changed).encode(), ANY_VERSION))
    world.leader_writes_isr(T, [1, 2])
    world.zookeeper.heal(world.store)
    world.settle()
    assert world.node.state is not None
    held = world.node.state.partition(T)
    assert held is not None
    assert held.assignment == Assignment((4, 1, 2, 3), adding=(4,))
    assert held.leadership is not None
    assert held.leadership.isr == (1, 2)


def test_what_was_stale_before_is_still_read_after_the_connection_was_lost() -> None:
    world = with_topic()
    world.request(AlterReassignment(T, (4, 3, 2)))
    while not commits(world):
        world.step()
    topic = world.zookeeper.tree.nodes[paths.topic("t")]
    topic.version += 3
    world.zookeeper.run()
    world.zookeeper.disconnect(world.store)
    world.feed()  # the conflict and the loss at once
    world.settle()
    assert lists(world)[1] == {"0": [4]}
    assert len(commits(world)) == 2


def test_a_timer_of_a_connection_that_is_back_means_nothing() -> None:
    world = in_office()
    world.zookeeper.disconnect(world.store)
    world.settle()
    world.run_timer("session")
    world.settle()
    assert world.node.active
    assert not world.resigned


@pytest.mark.parametrize("how", ["timer", "expired"])
def test_a_session_that_ends_answers_everything_once_and_begins_anew(how: str) -> None:
    world = with_topic()
    world.zookeeper.cut(world.store)
    world.settle()
    requests = [world.request(AlterReassignment(T, (4, 3, 2))) for _ in range(3)]
    world.settle()
    former = world.store
    if how == "timer":
        world.run_timer("session")
    else:
        world.zookeeper.expire(former)
        world.zookeeper.heal(former)
    world.settle()
    assert [world.replies[request] for request in requests] == [[(NOT_CONTROLLER,)]] * 3
    assert len(world.resigned) == 1
    assert world.closed_links == [1, 2, 3, 4, 5]
    assert world.node.active
    assert world.node.state is not None
    assert world.node.state.epoch == 2
    assert world.ask(AlterReassignment(T, (4, 3, 2))) == (Done(),)


def test_a_timer_after_the_end_of_its_session_does_not_end_the_next_one() -> None:
    world = in_office()
    world.zookeeper.cut(world.store)
    world.settle()
    world.zookeeper.expire(world.store)
    world.zookeeper.heal(world.store)
    world.zookeeper.run()
    world.feed()
    assert len(world.resigned) == 1
    assert world.node.phase is Phase.STANDBY
    world.give(Timer("session"))
    world.settle()
    assert len(world.resigned) == 1
    assert world.node.active


def test_what_a_former_session_still_says_is_no_news() -> None:
    world = in_office()
    former = world.store.session
    world.zookeeper.expire(world.store)
    world.settle()
    assert world.node.active
    for state in SessionState:
        assert world.give(SessionEvent(former, state, 18_000)) == ()
    assert world.node.active


@pytest.mark.parametrize("state", list(SessionState))
def test_a_session_that_was_given_up_is_not_entered_again(state: SessionState) -> None:
    """Its timer and the news that it is back may be handed over at once."""
    world = in_office()
    former = world.store.session
    world.zookeeper.cut(world.store)
    world.settle()
    world.give(Timer("session"))
    assert world.give(SessionEvent(former, state, 18_000)) == ()
    assert not world.node.connected
    world.settle()
    assert world.node.active
    assert world.store.session != former


def test_a_session_that_never_begins_is_tried_again() -> None:
    world = World()
    world.give(SessionEvent(0, SessionState.LOST, 0, "refused"))
    assert world.resigned == ["refused"]
    world.settle()
    assert world.node.active


def test_a_read_that_is_lost_while_loading_is_asked_again() -> None:
    world = World()
    while not (world.node.phase is Phase.LOADING and world.store.outgoing):
        world.step()
    assert isinstance(world.effects[-1], ReadZnodes)
    world.zookeeper.disconnect(world.store)
    world.settle()
    assert world.node.active
