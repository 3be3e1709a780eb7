"""Each invariant, planted: a history that breaks it and is found, and one that is fine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from uuid import UUID

import pytest

from klamm.controller.core.events import AlterReassignment
from klamm.controller.core.ibp import by_name
from klamm.controller.core.model import (
    Assignment,
    Awaiting,
    ClusterState,
    Leadership,
    Partition,
    TopicPartition,
)
from klamm.controller.core.ops import ANY_VERSION, Check, Create, Delete, Op, SetData
from klamm.controller.core.results import Done
from klamm.controller.core.rules import KIP_455
from klamm.controller.node.effects import Commit, Reply, Send
from klamm.controller.node.inputs import Request, Turn
from klamm.controller.node.turns import Turns
from klamm.controller.store.memory_tree import Applied
from klamm.controller.znodes import paths
from klamm.controller.znodes.admin import Reassignment, encode_reassign_partitions
from klamm.controller.znodes.klamm import encode_broker_lists
from klamm.controller.znodes.state import NO_LEADER, StateZnode, encode_state
from klamm.controller.znodes.topic import TopicZnode, encode_topic
from klamm.protocol.generated.create_topics_response import CreateTopicsResponse
from klamm.protocol.generated.leader_and_isr_request import (
    LeaderAndIsrPartitionState,
    LeaderAndIsrRequest,
    LeaderAndIsrTopicState,
)
from klamm.protocol.generated.list_partition_reassignments_response import (
    ListPartitionReassignmentsResponse,
)
from klamm.protocol.generated.stop_replica_request import StopReplicaRequest, StopReplicaTopicV1
from klamm.protocol.generated.update_metadata_request import (
    UpdateMetadataPartitionState,
    UpdateMetadataRequest,
    UpdateMetadataTopicState,
)
from klamm.protocol.message import Message
from klamm.tools.lab import clients
from klamm.tools.lab.choices import Action, Enumerator
from klamm.tools.lab.events import Violation
from klamm.tools.lab.invariants import INVARIANTS, memory, rule
from klamm.tools.lab.invariants.memory import moves
from klamm.tools.lab.invariants.steps import STEPS
from klamm.tools.lab.liveness import quiet
from klamm.tools.lab.observe import Observed
from klamm.tools.lab.run import Opening, run
from klamm.tools.lab.scope import Scope
from klamm.tools.lab.scopes import ALL, FAILOVER
from klamm.tools.lab.world import World

T = TopicPartition("t", 0)
ID = UUID(int=7)
SCOPE = Scope("planted", "Somebody breaks things.", brokers=4, topics={"t": {0: (1, 2), 1: (2, 3)}})
OPENINGS: dict[str, Opening] = {}


def opened(scope: Scope = SCOPE) -> World:
    if scope.name not in OPENINGS:
        OPENINGS[scope.name] = Opening(scope)
    return OPENINGS[scope.name].world(Enumerator())


class Stage:
    """A world at rest, in which steps can be planted that no code of ours would take."""

    def __init__(self, scope: Scope = SCOPE) -> None:
        self.world = opened(scope)

    def plant(self, name: str, call: Callable[[], object]) -> Violation | None:
        def act() -> None:
            call()

        self.world._do(Action(name, 1, act))
        return self.world.violation

    def writes(self, node: str, *ops: Op) -> Violation | None:
        """Let the session of a node write, as if the node had asked for it."""
        store = self.world.nodes[node].store
        assert store is not None
        return self.plant(f"zk serves {node}", lambda: self.apply(store.session, *ops))

    def tool(self, *ops: Op) -> Violation | None:
        """Let a tool write, unseen by everybody: no watch is sent."""
        return self.plant("tool: something", lambda: self.apply(0, *ops))

    def apply(self, session: int, *ops: Op) -> None:
        applied = self.world.tree.apply(ops, session)
        assert isinstance(applied, Applied), applied

    def wants(self, *effects: Commit | Reply | Send) -> Violation | None:
        """Let n1 ask for something that it has no reason for."""
        return self.plant("n1 turn", lambda: self.turn(*effects))

    def turn(self, *effects: Commit | Reply | Send) -> None:
        self.world.happened.inputs.append(Turn())
        self.world.happened.effects.extend(effects)

    @property
    def turns(self) -> Turns:
        node = self.world.nodes["n1"].node
        assert node is not None and node.turns is not None
        return node.turns

    def believes(self, part: Partition, version: int | None = None) -> Violation | None:
        """Let n1 believe something of T."""
        state = self.turns.state
        topic = state.topics["t"]
        changed = replace(
            topic,
            partitions={**topic.partitions, 0: part},
            version=topic.version if version is None else version,
        )
        self.turns.state = replace(state, topics={**state.topics, "t": changed})
        return self.wants()

    @property
    def believed(self) -> Partition:
        part = self.turns.state.partition(T)
        assert part is not None
        return part


def topic(
    replicas: tuple[int, ...] = (1, 2),
    adding: tuple[int, ...] = (),
    removing: tuple[int, ...] = (),
    id_: UUID | None = None,
) -> Op:
    znode = TopicZnode(
        2,
        {0: replicas, 1: (2, 3)},
        {0: adding} if adding else {},
        {0: removing} if removing else {},
        id_,
    )
    return SetData(paths.topic("t"), encode_topic(znode), ANY_VERSION)


def state(leader: int, epoch: int, *isr: int) -> Op:
    return SetData(
        paths.state("t", 0), encode_state(StateZnode(leader, epoch, isr, 1)), ANY_VERSION
    )


def send(stage: Stage, message: Message, number: int = 9_001) -> Send:
    return Send(number, stage.turns.state.brokers[1], message, 5)


def metadata(leader: int, epoch: int) -> UpdateMetadataRequest:
    told = UpdateMetadataPartitionState(
        partition_index=0, leader=leader, leader_epoch=epoch, isr=(leader,), replicas=(1, 2)
    )
    return UpdateMetadataRequest(
        901,
        controller_epoch=1,
        topic_states=(UpdateMetadataTopicState("t", partition_states=(told,)),),
    )


def orders(leader: int, epoch: int) -> LeaderAndIsrRequest:
    told = LeaderAndIsrPartitionState(
        partition_index=0, leader=leader, leader_epoch=epoch, isr=(leader,), replicas=(1, 2)
    )
    return LeaderAndIsrRequest(
        901,
        controller_epoch=1,
        topic_states=(LeaderAndIsrTopicState("t", partition_states=(told,)),),
    )


def assert_found(violation: Violation | None, invariant: str, text: str) -> None:
    assert violation is not None
    assert violation.invariant == invariant, violation
    assert text in violation.text
    assert violation.evidence, "a sentence without what shows it"


def test_a_run_without_a_fault_breaks_nothing_and_comes_to_rest() -> None:
    stage = Stage()
    world = stage.world
    world.ask("n1", clients.move("t", 0, 3, 4))
    world.settle()
    world.advance(5)
    world.ask("n1", clients.list_moves())
    world.do("crash n1")
    world.do("zk expires session 1 of n1")
    world.settle()
    world.ask("n2", clients.move("t", 1, 1, 2))
    world.settle()
    world.ask("n2", clients.cancel("t", 1))
    world.ask("n2", clients.delete("t"))
    world.settle()
    world.advance(5)
    assert world.violation is None
    assert quiet(world) == []
    assert world.observed.epoch == 2


# --- I1 ------------------------------------------------------------------------------------------


def test_i1_finds_a_write_of_somebody_who_is_not_in_office() -> None:
    assert_found(Stage().writes("n2", topic()), "I1", "n2 has written /brokers/topics/t")


def test_i1_finds_an_epoch_that_does_not_rise() -> None:
    violation = Stage().writes("n1", SetData(paths.CONTROLLER_EPOCH, b"1", ANY_VERSION))
    assert_found(violation, "I1", "began epoch 1 after epoch 1")


def test_i1_lets_the_incumbent_write_and_anybody_register() -> None:
    stage = Stage()
    assert stage.writes("n1", topic()) is None
    assert stage.writes("n2", Create("/klamm/nodes/77", b"{}", ephemeral=True)) is None


def test_i1_takes_a_write_after_the_next_election_for_one_too_many() -> None:
    stage = Stage()
    assert stage.writes("n2", SetData(paths.CONTROLLER_EPOCH, b"2", ANY_VERSION)) is None
    assert_found(stage.writes("n1", topic()), "I1", "n1 has written")


# --- I2, I3, I11 ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("op", "text"),
    [
        (topic((1, 2, 2)), "what nobody can read"),
        (topic((1, 2, 3), (3,), (3,)), "adding and removing"),
        (topic((1, 2), (4,)), "is no replica"),
        (topic((1, 2), (1, 2)), "no origin"),
        (topic((1, 2), (), (1, 2)), "the target is empty"),
        (topic((1, 3, 4), (4,)), "the origin was [1, 2] and is [1, 3]"),
        (topic((1, 2, 4), (4,)), "nobody has asked for [1, 2, 4]"),
        (SetData(paths.topic("t"), b"{", ANY_VERSION), "what nobody can read"),
        (
            SetData(paths.topic("t"), encode_topic(TopicZnode(2, {0: (1, 2)})), ANY_VERSION),
            "dropped partition t-1",
        ),
    ],
)
def test_i2_finds_moves_that_do_not_add_up(op: Op, text: str) -> None:
    stage = Stage()
    assert_found(stage.writes("n1", op), "I2", text)


def test_i2_knows_a_move_that_begins_where_another_ends_in_the_same_write() -> None:
    stage = Stage()
    assert stage.tool(topic((3, 4, 1, 2), (3, 4), (1, 2)), state(1, 1, 1, 2, 3, 4)) is None
    stage.world.ask("n1", clients.move("t", 0, 1, 3))
    stage.world.do("n1 turn")
    again = topic((1, 3, 4), (1,), (4,))
    # Replica 3 leaves the ISR in the same turn, for its broker does.
    assert stage.writes("n1", again, state(4, 2, 4)) is None


def test_i2_does_not_ask_a_controller_for_what_a_tool_has_written() -> None:
    stage = Stage()
    assert stage.tool(topic((1, 2, 3), (3,), (3,))) is None
    assert stage.writes("n1", topic((1, 2, 3), (3,), (3,))) is None


def test_i3_knows_a_move_that_begins_and_ends_in_the_same_write() -> None:
    for isr, found in (((1, 2, 3), None), ((1, 2), "I3")):
        stage = Stage()
        assert stage.tool(topic((1, 2, 3)), state(1, 1, *isr)) is None
        stage.world.ask("n1", clients.move("t", 0, 2, 3))
        stage.world.do("n1 turn")
        violation = stage.writes("n1", topic((2, 3)), state(2, 2, 2))
        assert (violation and violation.invariant) == found


def test_i3_finds_another_end_than_the_target() -> None:
    stage = Stage()
    assert stage.tool(topic((3, 4, 1, 2), (3, 4), (1, 2))) is None
    assert_found(stage.writes("n1", topic((4, 3))), "I3", "ended at [4, 3], the target was [3, 4]")


@pytest.mark.parametrize("end", [(3, 4), (1, 2), (2, 1)])
def test_i3_knows_an_end_and_a_cancel(end: tuple[int, ...]) -> None:
    stage = Stage()
    assert stage.tool(topic((3, 4, 1, 2), (3, 4), (1, 2))) is None
    assert stage.writes("n1", topic(end)) is None


def test_i3_knows_an_end_with_another_move_and_its_cancel_in_one_turn() -> None:
    stage = Stage()
    asked = Request(9, (AlterReassignment(T, (1, 2, 4)), AlterReassignment(T, None)))
    assert stage.plant("n1 turn", lambda: stage.world.happened.inputs.append(asked)) is None
    moving = topic((3, 4, 1, 2), (3, 4), (1, 2))
    assert stage.tool(moving, state(1, 1, 1, 2, 3, 4)) is None
    assert stage.writes("n1", topic((4, 3)), state(3, 2, 3, 4)) is None


def test_i3_finds_replicas_that_change_without_a_move() -> None:
    assert_found(Stage().writes("n1", topic((1, 4))), "I3", "ended at [1, 4]")


def test_i11_finds_a_topic_with_another_id() -> None:
    stage = Stage()
    assert stage.tool(topic(id_=ID)) is None
    assert_found(stage.writes("n1", topic()), "I11", "changed the id of t")


def test_i11_lets_a_topic_get_its_id_and_keep_it() -> None:
    stage = Stage()
    assert stage.writes("n1", topic(id_=ID)) is None
    assert stage.writes("n1", topic(id_=ID)) is None


# --- I4, I7 --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("op", "text"),
    [
        (state(1, 1, 2), "leader 1 is not in sync"),
        (state(NO_LEADER, 1), "nobody is in sync"),
        (SetData(paths.state("t", 0), b"?", ANY_VERSION), "what nobody can read"),
    ],
)
def test_i4_finds_leaders_out_of_sync(op: Op, text: str) -> None:
    assert_found(Stage().writes("n1", op), "I4", text)


def test_i4_lets_a_partition_wait_for_those_who_were_in_sync() -> None:
    assert Stage().writes("n1", state(NO_LEADER, 1, 2)) is None


def test_i4_finds_the_dead_among_those_in_sync_once_the_controller_rests() -> None:
    stage = Stage()
    stage.world.do("kill b2")
    stage.world.settle(but=lambda name: name == "n1 turn")
    assert stage.world.violation is None
    node = stage.world.nodes["n1"]
    node.inbox.clear()
    known = stage.turns.state
    alive = {id_: each for id_, each in known.brokers.items() if id_ != 2}
    stage.turns.state = replace(known, brokers=alive)
    assert_found(stage.wants(), "I4", "broker 2 is gone, and t-0 has it still")


def test_i4_finds_a_lead_given_to_a_broker_that_is_leaving() -> None:
    stage = Stage()
    fence = Check(paths.CONTROLLER_EPOCH, 1)
    stage.turns.state = replace(stage.turns.state, shutting_down=frozenset({2}))
    assert stage.wants(Commit(9, (state(2, 1, 1, 2),), fence)) is None  # asked in this very step
    assert stage.wants(Commit(9, (state(1, 1, 1),), fence)) is None
    violation = stage.wants(Commit(9, (state(2, 1, 1, 2),), fence))
    assert_found(violation, "I4", "n1 gives the lead of t-0 to broker 2, which is leaving")


def test_i4_lets_the_dead_stay_until_the_controller_has_heard_of_it() -> None:
    stage = Stage()
    stage.world.do("kill b2")
    stage.world.settle()
    assert stage.world.violation is None
    assert stage.world.observed.isr(T) == (1,)


def test_i7_finds_an_epoch_that_falls_and_an_epoch_with_two_leaders() -> None:
    stage = Stage()
    assert stage.writes("n1", state(2, 5, 1, 2)) is None
    assert_found(stage.writes("n1", state(2, 4, 1, 2)), "I7", "fell from 5 to 4")
    stage = Stage()
    assert_found(stage.writes("n1", state(2, 0, 1, 2)), "I7", "leader 1 and leader 2")


def test_i7_remembers_the_epoch_of_a_state_that_a_controller_has_removed() -> None:
    stage = Stage()
    path = paths.state("t", 0)
    assert stage.writes("n1", state(2, 5, 1, 2)) is None
    assert stage.writes("n1", Delete(path, ANY_VERSION)) is None
    made = Create(path, encode_state(StateZnode(1, 0, (1, 2), 1)))
    assert_found(stage.writes("n1", made), "I7", "fell from 5 to 0")


@pytest.mark.parametrize("message", [metadata(1, 1), orders(1, 1), metadata(2, 0)])
def test_i7_finds_brokers_told_of_what_never_was(message: Message) -> None:
    stage = Stage()
    assert_found(stage.wants(send(stage, message)), "I7", "which never was in ZooKeeper")


def test_i7_finds_brokers_told_of_less_than_the_controller_knows() -> None:
    stage = Stage()
    stage.world.ask("n1", clients.move("t", 0, 3, 4))
    stage.world.settle()
    assert stage.world.violation is None
    assert_found(stage.wants(send(stage, metadata(1, 0))), "I7", "in epoch 0, but it knows of")


def test_i7_lets_brokers_be_told_of_what_is_durable() -> None:
    stage = Stage()
    assert stage.wants(send(stage, metadata(1, 0))) is None


# --- I5, I6 --------------------------------------------------------------------------------------


def drop(*ops: Op) -> Commit:
    return Commit(9_000, ops, None)


def test_i5_finds_a_decision_after_which_nobody_in_sync_is_alive() -> None:
    stage = Stage()
    assert_found(stage.wants(drop(topic((3, 4)))), "I5", "0 live in-sync replicas remain, not 1")


def test_i5_goes_by_who_the_controller_knows_to_be_alive() -> None:
    stage = Stage()
    to_two = (topic((2,)), state(2, 1, 2))
    assert stage.wants(drop(*to_two)) is None
    brokers = {id_: each for id_, each in stage.turns.state.brokers.items() if id_ != 2}
    stage.turns.state = replace(stage.turns.state, brokers=brokers)
    assert_found(stage.wants(drop(*to_two)), "I5", "0 live in-sync replicas remain")


def test_i5_can_ask_for_as_many_as_min_in_sync() -> None:
    stage = Stage()
    stage.world.observed.min_in_sync = 2
    assert stage.wants(drop(topic((2,)), state(2, 1, 2))) is None
    assert_found(stage.wants(drop(topic((2, 3)), state(2, 1, 2))), "I5", "1 live in-sync")


def test_i5_lets_the_profile_of_the_text_cancel_whatever_it_costs() -> None:
    scope = replace(SCOPE, name="kip-455", rules=KIP_455)
    cancel = drop(topic((1, 2)), state(3, 1, 3))
    for each, found in ((SCOPE, True), (scope, False)):
        stage = Stage(each)
        assert stage.tool(topic((3, 1, 2), (3,), (1, 2)), state(3, 1, 3)) is None
        moving = Assignment((3, 1, 2), (3,), (1, 2))
        stage.believes(Partition(moving, Leadership(3, 1, (3,), 1, 1)), version=1)
        violation = stage.wants(cancel)
        assert (violation is not None and violation.invariant == "I5") == found


def test_i5_finds_a_deleted_log_of_somebody_in_sync() -> None:
    stage = Stage()
    disks = stage.world.brokers[2].disks
    violation = stage.plant("b2 forgets", lambda: disks.delete(T))
    assert_found(violation, "I5", "broker 2 deleted t-0, of which it is in sync")


def test_i5_finds_a_deleted_log_when_nobody_in_sync_has_the_data() -> None:
    stage = Stage()
    assert stage.tool(topic((3,)), state(3, 1, 3)) is None
    disks = stage.world.brokers[2].disks
    violation = stage.plant("b2 forgets", lambda: disks.delete(T))
    assert_found(violation, "I5", "nobody of ISR [3] has the data")


def test_i5_finds_a_delete_that_is_told_before_the_leader_knows() -> None:
    stage = Stage()
    request = StopReplicaRequest(
        controller_id=901,
        controller_epoch=1,
        delete_partitions=True,
        topics=(StopReplicaTopicV1("t", (0,)),),
    )
    known = stage.turns.state.brokers
    assert stage.wants(Send(9, known[3], request, 1)) is None
    violation = stage.wants(Send(9, known[2], request, 1))
    assert_found(violation, "I5", "broker 2 to delete t-0, and its leader 1 has it still for a")


def test_i5_lets_logs_go_that_are_not_needed_and_with_their_disk() -> None:
    stage = Stage()
    assert stage.tool(topic((1,)), state(1, 1, 1)) is None
    assert stage.plant("b2 forgets", lambda: stage.world.brokers[2].disks.delete(T)) is None
    stage = Stage()
    assert stage.plant("b2 breaks", lambda: stage.world.brokers[2].disks.fail("/data")) is None


def test_i6_finds_a_leader_without_what_was_acknowledged() -> None:
    stage = Stage()
    log = stage.world.brokers[1].disks.logs[T]
    assert_found(
        stage.plant("b1 truncates", lambda: log.cut_to(10)),
        "I6",
        "broker 1 leads t-0 with 10 bytes, 1000 were acknowledged",
    )


def test_i6_lets_a_follower_truncate() -> None:
    stage = Stage()
    log = stage.world.brokers[2].disks.logs[T]
    assert stage.plant("b2 truncates", lambda: log.cut_to(10)) is None


# --- I8 ------------------------------------------------------------------------------------------


def test_i8_finds_a_second_reply() -> None:
    stage = Stage()
    reply = Reply(77, (Done(),))
    assert stage.wants(reply) is None
    assert_found(stage.wants(reply), "I8", "n1 answers request 77 again")
    assert_found(Stage().wants(reply, reply), "I8", "again")


def test_i8_finds_an_answer_after_the_connection_has_ended() -> None:
    stage = Stage()
    asked = clients.Asked(1, "n1", clients.list_moves(), 1, [CreateTopicsResponse()])
    assert stage.plant("n1 turn", lambda: stage.world.happened.replied.append(asked)) is None
    asked.lost = True
    violation = stage.plant("n1 turn", lambda: stage.world.happened.replied.append(asked))
    assert_found(violation, "I8", "lost before")


# --- I9, I13, I14 --------------------------------------------------------------------------------


def test_i9_finds_a_controller_that_is_ahead_of_zookeeper() -> None:
    stage = Stage()
    violation = stage.believes(Partition(Assignment((1, 2, 4), (4,)), stage.believed.leadership))
    assert_found(violation, "I9", "n1 believes of topic t, version 0, what never was")


def test_i9_finds_a_leadership_that_never_was() -> None:
    stage = Stage()
    led = stage.believed.leadership
    assert led is not None
    ahead = replace(led, leader=2, leader_epoch=1)
    violation = stage.believes(Partition(stage.believed.assignment, ahead))
    assert_found(violation, "I9", "n1 believes of t-0, version 0, what never was")


def test_i9_finds_a_commit_that_was_not_taken_in() -> None:
    stage = Stage()
    before = stage.turns.state
    stage.world.ask("n1", clients.move("t", 0, 3, 4))
    stage.world.until(lambda: len(stage.world.events[-1].znodes) > 1)
    stage.world.settle(but=lambda name: name == "n1 turn")
    node = stage.world.nodes["n1"]

    def forget() -> None:
        node.turn()
        stage.turns.state = before

    while stage.world.violation is None and stage.world.can("n1 turn"):
        stage.plant("n1 turn", forget)
        stage.world.settle(but=lambda name: name == "n1 turn")
    assert_found(stage.world.violation, "I9", "still believes in version 0")


def test_i9_lets_a_leader_write_later() -> None:
    stage = Stage()
    assert stage.tool(state(1, 0, 1)) is None
    assert stage.believes(stage.believed) is None


def test_i13_finds_a_list_without_a_move() -> None:
    stage = Stage()
    assert stage.tool(topic((3, 4, 1, 2), (3, 4), (1, 2))) is None
    assert_found(stage.wants(), "I13", "n1 lists other moves than the topic znodes hold")


def test_i13_finds_an_answer_that_leaves_a_move_out() -> None:
    stage = Stage()
    empty = clients.Asked(1, "n1", clients.list_moves(), 1, [ListPartitionReassignmentsResponse()])
    assert stage.plant("n1 says", lambda: stage.world.happened.replied.append(empty)) is None
    assert stage.tool(topic((3, 4, 1, 2), (3, 4), (1, 2))) is None
    violation = stage.plant("n1 says", lambda: stage.world.happened.replied.append(empty))
    assert_found(violation, "I13", "n1 answers with other moves")


def test_i13_finds_unknown_brokers_and_topics() -> None:
    stage = Stage()
    assert stage.tool(Delete(paths.broker(4), ANY_VERSION)) is None
    assert_found(stage.wants(), "I13", "knows brokers [1, 2, 3, 4], there are [1, 2, 3]")
    stage = Stage()
    assert stage.tool(Create(paths.topic("new"), encode_topic(TopicZnode(2, {0: (1,)})))) is None
    assert_found(stage.wants(), "I13", "knows topics ['t'], there are ['new', 't']")


def test_i13_waits_for_what_is_on_its_way() -> None:
    stage = Stage()
    znode = encode_topic(TopicZnode(2, {0: (1,)}))
    stage.world.write("a topic", Create(paths.topic("new"), znode))
    assert stage.wants() is None


def test_i14_finds_more_handovers_than_the_limit() -> None:
    stage = Stage(replace(SCOPE, name="one handover", leader_moves_in_flight=1))
    waits = Awaiting(1, 0, (3,), handover=True)
    known = stage.turns.state
    stage.turns.state = replace(known, awaiting={T: waits})
    assert stage.wants() is None
    both = {T: waits, TopicPartition("t", 1): waits}
    stage.turns.state = replace(known, awaiting=both)
    assert_found(stage.wants(), "I14", "2 handovers to broker 1 are under way, the limit is 1")


def test_i14_finds_two_requests_to_a_broker_at_once() -> None:
    stage = Stage()
    assert stage.wants(send(stage, metadata(1, 0))) is None
    violation = stage.wants(send(stage, metadata(1, 0), number=9_002))
    assert_found(violation, "I14", "2 requests of n1 to broker 1 at once")


# --- I12 -----------------------------------------------------------------------------------------


def ordered(name: TopicPartition, *replicas: int) -> Op:
    entry = Reassignment(name.topic, name.partition, replicas)
    return Create(paths.REASSIGN_PARTITIONS, encode_reassign_partitions([entry]))


REMOVED = Delete(paths.REASSIGN_PARTITIONS, ANY_VERSION)


def test_i12_finds_an_order_that_goes_unheard() -> None:
    stage = Stage()
    assert stage.tool(ordered(T, 3, 4)) is None
    violation = stage.writes("n1", REMOVED)
    assert_found(violation, "I12", "took out the order of [3, 4] for t-0, which was never begun")


def test_i12_finds_an_order_that_nobody_gave() -> None:
    violation = Stage().writes("n1", ordered(T, 3, 4))
    assert_found(violation, "I12", "orders [3, 4] for t-0 itself")


@pytest.mark.parametrize("name", [TopicPartition("t", 0), TopicPartition("t", 9)])
def test_i12_lets_orders_go_that_cannot_be_carried_out(name: TopicPartition) -> None:
    stage = Stage()
    assert stage.tool(ordered(name, 3, 99)) is None
    assert stage.writes("n1", REMOVED) is None


def test_i12_lets_orders_go_that_have_begun() -> None:
    stage = Stage()
    assert stage.tool(ordered(T, 3, 4)) is None
    assert stage.writes("n1", topic((3, 4, 1, 2), (3, 4), (1, 2)), REMOVED) is None


def test_i12_lets_orders_go_that_a_request_may_have_replaced_until_it_is_answered() -> None:
    stage = Stage()
    asked = Request(9, (AlterReassignment(T, None),))
    assert stage.plant("n1 turn", lambda: stage.world.happened.inputs.append(asked)) is None
    assert stage.tool(ordered(T, 3, 4)) is None
    assert stage.writes("n1", REMOVED) is None
    assert stage.wants(Reply(9, (Done(),))) is None
    assert stage.tool(ordered(T, 3, 4)) is None
    assert_found(stage.writes("n1", REMOVED), "I12", "took out the order of [3, 4] for t-0")


def test_i12_lets_orders_go_to_brokers_that_are_shutting_down() -> None:
    stage = Stage()
    stage.turns.state = replace(stage.turns.state, shutting_down=frozenset({4}))
    assert stage.tool(ordered(T, 3, 4)) is None
    assert stage.writes("n1", REMOVED) is None


# --- at rest: I10, and what I8 and I12 say of the end --------------------------------------------


def test_i10_finds_a_stray_log() -> None:
    stage = Stage()
    assert quiet(stage.world) == []
    stage.world.brokers[4].disks.log(T, is_new=True, new_bytes=5)
    (text,) = quiet(stage.world)
    assert text == "I10: broker 4 keeps a log of t-0, replicas [1, 2]"


@pytest.mark.parametrize(
    ("ops", "text"),
    [
        ((ordered(T, 3, 4),), "/admin/reassign_partitions is still there"),
        ((Create(paths.delete_topic("t"), None),), "topic t is to be deleted"),
        (
            (Create(paths.replica_deletions("t"), encode_broker_lists({0: (3,)})),),
            "[3] still owe the deletion of t-0",
        ),
        ((Create(f"{paths.ISR_CHANGE_PREFIX}1", b"{}"),), "isr_change_1 is still there"),
        ((Delete(paths.CONTROLLER, ANY_VERSION),), "/controller is missing"),
    ],
)
def test_rest_demands_that_what_was_asked_for_is_done(ops: tuple[Op, ...], text: str) -> None:
    stage = Stage()
    assert stage.tool(*ops) is None
    assert any(text in each for each in quiet(stage.world)), quiet(stage.world)


def test_rest_demands_an_answer_to_every_request() -> None:
    stage = Stage()
    stage.world.ask("n1", clients.move("t", 0, 3, 4))
    assert any("'move t-0 to 3,4', has no answer" in each for each in quiet(stage.world))


def test_rest_demands_that_moves_end_and_partitions_are_led() -> None:
    stage = Stage()
    assert stage.writes("n1", state(NO_LEADER, 1, 1, 2)) is None
    assert any("t-0 has leader -1; [1, 2]" in each for each in quiet(stage.world))
    stage = Stage()
    stage.world.ask("n1", clients.move("t", 0, 3, 4))
    stage.world.until(lambda: len(stage.world.events[-1].znodes) > 1)
    assert any("t-0 still moves to [3, 4]" in each for each in quiet(stage.world))
    assert any("[3, 4] could be in sync" in each for each in quiet(stage.world))


def test_rest_demands_that_brokers_know_what_they_are() -> None:
    stage = Stage()
    model = stage.world.brokers[2].model
    assert model is not None
    model.replicas[T].leader_epoch = 7
    assert any("broker 2 has of t-0 leader 1, epoch 7" in each for each in quiet(stage.world))
    stage = Stage()
    model = stage.world.brokers[3].model
    assert model is not None
    model.metadata = replace(model.metadata, topics={})
    assert any("broker 3 tells clients nothing of t-0" in each for each in quiet(stage.world))


def test_rest_demands_that_brokers_forget_what_is_no_more() -> None:
    stage = Stage()
    model = stage.world.brokers[3].model
    assert model is not None
    topics = model.metadata.topics
    model.metadata = replace(model.metadata, topics={**topics, "gone": topics["t"]})
    told = [f"broker 3 tells clients of gone-{number}, which does not exist" for number in (0, 1)]
    assert quiet(stage.world) == told
    assert stage.tool(Create(paths.delete_topic("gone"), None)) is None
    assert not set(told) & set(quiet(stage.world))


def test_rest_demands_that_nodes_know_their_controller() -> None:
    stage = Stage()
    other = stage.world.nodes["n2"].node
    assert other is not None
    other.controller_id = 902
    assert quiet(stage.world) == ["n2 takes 902 for controller, n1 is"]


def test_rest_demands_a_controller() -> None:
    stage = Stage()
    stage.world.do("crash n1")
    stage.world.do("crash n2")
    assert "no node is in office" in quiet(stage.world)


def test_rest_excuses_what_needs_a_broker_that_is_not_able() -> None:
    stage = Stage()
    moving = topic((1, 99, 2), (99,), (2,))
    assert stage.tool(moving, ordered(T, 1, 99)) is None
    assert not any("reassign_partitions" in each for each in quiet(stage.world))


def test_rest_excuses_orders_of_a_partition_whose_state_a_tool_has_written() -> None:
    stage = Stage()
    moving = topic((3, 4, 1, 2), (3, 4), (1, 2))
    assert stage.tool(moving, ordered(T, 3, 4)) is None
    assert any("reassign_partitions" in each for each in quiet(stage.world))
    assert stage.tool(state(1, 0, 1, 2)) is None
    assert not any("reassign_partitions" in each for each in quiet(stage.world))


def test_rest_excuses_deletions_that_wait_for_a_former_replica_which_is_not_able() -> None:
    stage = Stage()
    debt = Create(paths.replica_deletions("t"), encode_broker_lists({0: (3, 4)}))
    assert stage.tool(Create(paths.delete_topic("t"), None), debt) is None
    demands = ["topic t is to be deleted", "[3, 4] still owe the deletion of t-0"]
    assert all(any(text in each for each in quiet(stage.world)) for text in demands)
    stage.world.brokers[4].disks.broken.add(stage.world.scope.log_dirs[0])
    assert not any("deleted" in each or "owe" in each for each in quiet(stage.world))


def test_rest_excuses_old_logs_of_a_partition_that_nobody_can_lead() -> None:
    stage = Stage()
    debt = Create(paths.replica_deletions("t"), encode_broker_lists({0: (2,)}))
    dark = state(NO_LEADER, 1, 1)
    assert stage.tool(topic((1,)), state(1, 0, 1), debt) is None
    demands = ["I10: broker 2 keeps a log of t-0", "[2] still owe the deletion of t-0"]
    assert all(any(text in each for each in quiet(stage.world)) for text in demands)
    assert stage.tool(dark) is None
    assert not any(any(text in each for each in quiet(stage.world)) for text in demands)


@pytest.mark.req("R455-40")
def test_lists_equal_the_topic_znodes_in_every_run(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = []

    def counted(seen: Observed, state: ClusterState) -> dict[TopicPartition, Assignment]:
        found = moves(seen, state)
        compared.append(len(found))
        return found

    monkeypatch.setattr(memory, "moves", counted)
    for scope, seeds in ((FAILOVER, 12), (ALL, 6)):
        opening = Opening(scope)
        for seed in range(seeds):
            finished = run(opening, seed)
            assert finished.violation is None, (scope.name, seed, finished.violation)
    assert len(compared) > 150 and any(compared) and not all(compared)


def test_every_invariant_has_its_planted_violation() -> None:
    numbers = {f"I{number}" for number in range(1, 15)}
    assert INVARIANTS.keys() - STEPS.keys() == numbers - {"I10"}, "test_step_invariants has these"
    planted = "\n".join(name for name in globals() if name.startswith("test_"))
    for number in sorted(numbers):
        assert f"test_{number.lower()}_finds" in planted, number


def test_every_invariant_says_in_words_what_it_demands() -> None:
    assert all(len(rule(name).split()) > 4 for name in (*INVARIANTS, "liveness"))
    assert rule("I11").startswith("as long as there is a topic its id stays")
    assert rule("story") == ""


def test_topic_ids_are_watched_in_real_runs() -> None:
    scope = replace(SCOPE, name="ids", protocol=by_name("3.9"))
    world = opened(scope)
    world.ask("n1", clients.move("t", 0, 3, 4))
    world.settle()
    world.advance(2)
    assert world.violation is None
    assert quiet(world) == []
    znode = world.observed.topics["t"]
    assert isinstance(znode, TopicZnode) and znode.topic_id is not None
