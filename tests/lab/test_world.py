"""The world: what happens in it by itself, at whose word, and what may go wrong."""

import json
from collections import deque

import pytest

from klamm.controller.core.ibp import by_name
from klamm.controller.core.model import Broker, TopicPartition
from klamm.controller.core.ops import ANY_VERSION, SetData
from klamm.controller.node.data import Phase
from klamm.controller.node.effects import Commit, Send
from klamm.controller.store.memory_client import CommitCall, MemoryStore
from klamm.controller.store.port import CommitDone, Unknown
from klamm.controller.znodes import paths
from klamm.protocol.generated.alter_partition_reassignments_response import (
    AlterPartitionReassignmentsResponse,
)
from klamm.protocol.generated.leader_and_isr_request import LeaderAndIsrRequest
from klamm.protocol.generated.update_metadata_request import UpdateMetadataRequest
from klamm.tools.lab.choices import Enumerator
from klamm.tools.lab.clients import Asked, AskFor, cancel, create, delete, grow, list_moves, move
from klamm.tools.lab.events import Way
from klamm.tools.lab.faults import FAULTS
from klamm.tools.lab.network import Late, overtaken
from klamm.tools.lab.run import Opening, rest
from klamm.tools.lab.scope import Scope
from klamm.tools.lab.world import NotPossibleError, World

SCOPE = Scope("small", "Four brokers, one partition.", brokers=4, topics={"t": {0: (1, 2)}})
OPENING = Opening(SCOPE)
TOPIC = paths.topic("t")


def opened() -> World:
    return OPENING.world(Enumerator())


def in_office(world: World) -> list[str]:
    return [name for name, host in world.nodes.items() if host.node and host.node.active]


def replicas(world: World) -> list[int]:
    data = world.tree.nodes[TOPIC].data
    assert data is not None
    found: list[int] = json.loads(data)["partitions"]["0"]
    return found


def until_it_commits(world: World) -> bool:
    """Let a node ask for a multi, which nobody has carried out yet."""
    return world.until(lambda: any(isinstance(it, Commit) for it in world.happened.effects))


def code(asked: Asked) -> int:
    (response,) = asked.responses
    assert isinstance(response, AlterPartitionReassignmentsResponse)
    return response.error_code or sum(
        part.error_code for topic in response.responses for part in topic.partitions
    )


def test_it_opens_with_one_node_in_office_and_the_topics_in_place() -> None:
    world = opened()
    assert in_office(world) == ["n1"]
    assert replicas(world) == [1, 2]
    assert sorted(world.brokers[1].disks.logs) == [TopicPartition("t", 0)]
    assert not world.events and not world.script and world.violation is None


def test_a_move_goes_all_the_way() -> None:
    world = opened()
    asked = world.ask("n1", move("t", 0, 3, 4))
    world.settle()
    assert code(asked) == 0
    world.advance(10.0)
    assert replicas(world) == [3, 4]
    assert not world.brokers[1].disks.logs and world.brokers[3].disks.logs
    assert world.violation is None


@pytest.mark.parametrize(
    "what", [cancel("t", 0), list_moves(), create("u", {0: (1,)}), delete("t"), grow("t", 2)]
)
def test_every_request_has_one_answer(what: AskFor) -> None:
    world = opened()
    asked = world.ask("n1", what)
    world.settle()
    world.advance(10.0)
    assert len(asked.responses) == 1 and not asked.lost


def test_who_is_not_controller_says_so() -> None:
    world = opened()
    asked = world.ask("n2", move("t", 0, 3, 4))
    world.settle()
    assert code(asked) == 41


def test_another_node_takes_over_and_finishes_the_move() -> None:
    world = opened()
    asked = world.ask("n1", move("t", 0, 3, 4))
    assert world.until(lambda: not asked.open)
    world.do("crash n1")
    world.settle(but=lambda name: name.startswith("zk expires"))
    assert in_office(world) == []
    world.settle()
    assert in_office(world) == ["n2"]
    world.advance(10.0)
    assert replicas(world) == [3, 4]
    assert world.violation is None and rest(world) is None


@pytest.mark.parametrize("gap", range(5))
def test_a_node_may_die_between_any_two_effects(gap: int) -> None:
    world = opened()
    asked = world.ask("n1", move("t", 0, 3, 4))
    world.until(lambda: any(isinstance(it, CommitDone) for it in world.nodes["n1"].inbox))
    happened = world.do("crash n1 in its turn", effects_done=str(gap))
    assert len(happened.effects) == min(gap, len(happened.effects) + len(happened.undone))
    assert happened.undone or gap >= 3
    assert not world.nodes["n1"].alive
    assert asked.lost or asked.responses
    assert rest(world) is None
    assert replicas(world) == [3, 4]


def test_what_a_dead_node_had_asked_for_may_still_be_done_or_never() -> None:
    done, never = opened(), opened()
    for world in (done, never):
        world.ask("n1", move("t", 0, 3, 4))
        assert until_it_commits(world)
        world.do("crash n1")
    done.do("zk serves session 1 of n1 late")
    assert replicas(done) != [1, 2]
    never.do("zk expires session 1 of n1")
    assert replicas(never) == [1, 2]
    assert rest(done) is None and rest(never) is None


def test_a_node_learns_nothing_of_a_multi_whose_answer_was_lost() -> None:
    world = opened()
    world.ask("n1", move("t", 0, 3, 4))
    assert until_it_commits(world)
    world.do("zk serves n1")
    world.do("cut n1 off zk")
    happened = world.do("n1 turn")
    outcomes = [it.outcome for it in happened.inputs if isinstance(it, CommitDone)]
    assert [type(outcome) for outcome in outcomes] == [Unknown]
    assert rest(world) is None
    assert replicas(world) == [3, 4]


def test_a_zombie_goes_on_where_it_stood_and_is_refused() -> None:
    world = opened()
    world.ask("n1", move("t", 0, 3, 4))
    world.until(lambda: any(type(it).__name__ == "ReadDone" for it in world.nodes["n1"].inbox))
    stopped = world.do("freeze n1 in its turn", effects_done="0")
    assert not stopped.effects and world.nodes["n1"].undone
    world.do("zk expires n1")
    world.settle()
    assert in_office(world) == ["n1", "n2"], "the zombie still takes itself for controller"
    world.do("wake n1")
    happened = world.do("n1 turn")
    assert isinstance(happened.effects[0], Commit)
    assert world.nodes["n1"].node is not None
    assert world.nodes["n1"].node.doubtful, "its first look at the clock tells it"
    world.settle()
    assert in_office(world) == ["n2"]
    assert replicas(world) == [1, 2]
    assert rest(world) is None


def test_an_expired_session_is_noticed_early_or_late() -> None:
    early, late = opened(), opened()
    early.do("expire n1")
    early.do("n1 turn")
    assert early.nodes["n1"].node is not None
    assert early.nodes["n1"].node.phase is not Phase.ACTIVE or early.nodes["n1"].node.doubtful
    late.do("expire n1 unnoticed")
    late.settle(but=lambda name: name == "n1 notices")
    assert in_office(late) == ["n1", "n2"]
    assert rest(early) is None and rest(late) is None
    assert in_office(late) == ["n2"]


def test_a_late_request_is_read_by_a_broker_after_its_connection_has_ended() -> None:
    world = opened()
    world.ask("n1", move("t", 0, 3, 4))
    world.until(lambda: world.can("b3 serves n1"))
    world.do("crash n1")
    happened = world.do("b3 serves a late request")
    assert [each.way for each in happened.messages] == [Way.LATE]
    assert rest(world) is None


def has_metadata(world: World) -> bool:
    """Tell whether b3 may read what n1 tells of the cluster."""
    link = world.nodes["n1"].links.get(3)
    send = link.next if link is not None else None
    return send is not None and isinstance(send.message, UpdateMetadataRequest)


@pytest.mark.parametrize("before", [True, False])
def test_late_metadata_come_before_those_of_the_next_connection_or_never(before: bool) -> None:
    world = opened()
    world.ask("n1", move("t", 0, 3, 4))
    world.until(lambda: has_metadata(world))
    world.do("break the link n1-b3")
    assert world.until(lambda: has_metadata(world), but=lambda name: name.endswith("late request"))
    if before:
        happened = world.do("b3 serves a late request")
        assert [each.way for each in happened.messages] == [Way.LATE]
    world.do("b3 serves n1")
    assert not world.can("b3 serves a late request")
    assert rest(world) is None


def test_only_a_later_request_of_the_same_node_overtakes_and_metadata_alone() -> None:
    metadata = Send(1, Broker(3, 9, ()), UpdateMetadataRequest(), 8)
    order = Send(2, Broker(3, 9, ()), LeaderAndIsrRequest(), 7)
    late = deque([Late("n1", order), Late("n1", metadata), Late("n2", metadata)])
    assert overtaken(late, "n1", order) == late
    assert [*overtaken(late, "n1", metadata)] == [Late("n1", order), Late("n2", metadata)]


def test_a_broken_link_tells_the_node_that_there_is_no_answer() -> None:
    world = opened()
    world.ask("n1", move("t", 0, 3, 4))
    world.until(lambda: world.can("b3 serves n1"))
    happened = world.do("break the link n1-b3")
    assert [each.way for each in happened.messages] == [Way.LOST]
    assert rest(world) is None
    assert replicas(world) == [3, 4]


def test_a_bounced_broker_comes_back_under_a_new_epoch() -> None:
    world = opened()
    before = world.brokers[2].model
    assert before is not None
    epoch = before.epoch
    world.do("bounce b2")
    world.settle()
    after = world.brokers[2].model
    assert after is not None and after.epoch > epoch and world.brokers[2].lives == 2
    assert rest(world) is None


def test_a_broker_whose_id_its_former_process_holds_ends_and_is_started_again() -> None:
    world = opened()
    broker = world.brokers[2]
    world.do("kill b2")
    world.settle()
    world.do("start b2")
    path = paths.broker(2)
    assert world.until(lambda: broker.store is not None and registers(broker.store, path))
    world.do("kill b2")
    world.do("start b2")
    (former,) = broker.former
    while path not in world.tree.nodes:
        world.do(f"zk serves session {former.session} of b2 late")
    world.settle(but=lambda name: name == f"zk expires session {former.session} of b2")
    assert broker.model is None and not world.can("start b2"), "the id is still taken"
    (ended,) = (each.ended for each in world.events if each.ended)
    assert "b2 ends: broker id 2 is taken" in ended and f"session {former.session:#x};" in ended
    world.do(f"zk expires session {former.session} of b2")
    world.settle()
    assert broker.alive and world.tree.nodes[path].owner not in (0, former.session)
    assert broker.lives == 4 and rest(world) is None


def registers(store: MemoryStore, path: str) -> bool:
    """Tell whether a broker's own znode is what it has asked for, and nobody has made it yet."""
    return any(
        isinstance(call, CommitCall) and any(op.path == path for op in call.ops)
        for call in store.outgoing
    )


def test_a_stalled_broker_holds_a_move_up() -> None:
    world = opened()
    world.do("stall b4")
    world.ask("n1", move("t", 0, 3, 4))
    world.advance(30.0)
    assert set(replicas(world)) == {1, 2, 3, 4}
    world.do("b4 fetches again")
    world.advance(10.0)
    assert replicas(world) == [3, 4]


def test_a_tool_writes_what_it_likes_and_the_node_sees_it() -> None:
    world = opened()
    data = world.tree.nodes[TOPIC].data
    world.write("a rogue tool", SetData(TOPIC, data, ANY_VERSION))
    (change,) = world.events[-1].znodes
    assert (change.path, change.session) == (TOPIC, 0)
    assert change.before is not None and change.after is not None
    assert change.after.version == change.before.version + 1
    assert rest(world) is None


def test_what_cannot_be_done_is_refused_with_what_can() -> None:
    world = opened()
    with pytest.raises(NotPossibleError, match=r"'wake n1' is not possible now; .*crash n1"):
        world.do("wake n1")
    with pytest.raises(NotPossibleError, match="effects done: 'many' is none of 0, 1"):
        world.ask("n1", list_moves())
        world.ask("n1", move("t", 0, 3, 4))
        world.do("crash n1 in its turn", effects_done="many")


def test_every_fault_can_happen() -> None:
    world = opened()
    world.ask("n1", move("t", 0, 3, 4))
    seen: set[str] = set()

    def look() -> bool:
        seen.update(fault.id for fault in FAULTS.values() if any(True for _ in fault.offer(world)))
        return False

    world.until(look)
    # Only a leader of a later protocol asks its controller.
    assert seen == FAULTS.keys() - {"break-ask"}


def test_leaders_ask_from_a_later_protocol_on() -> None:
    scope = Scope("asks", "", brokers=3, topics={"t": {0: (1, 2)}}, protocol=by_name("3.9"))
    world = Opening(scope).world(Enumerator())
    world.ask("n1", move("t", 0, 2, 3))
    while not world.until(lambda: world.can("n1 takes AlterPartition of b1")):
        world.pass_time()
    world.do("break the link b1-n1")
    world.do("b1 hears of AlterPartition")
    world.advance(10.0)
    assert replicas(world) == [2, 3]
    assert rest(world) is None


def test_a_client_is_answered_in_the_time_that_it_has_given() -> None:
    world = opened()
    world.do("stall b4")
    world.ask("n1", move("t", 0, 3, 4))
    world.settle()
    asked = world.ask("n1", delete("t"))
    world.advance(59.0)
    assert asked.open, "it waits for the move"
    world.advance(2.0)
    assert len(asked.responses) == 1
    world.do("b4 fetches again")
    world.advance(60.0)
    assert TOPIC not in world.tree.nodes, "what it asked for goes on"
    assert len(asked.responses) == 1 and world.violation is None
