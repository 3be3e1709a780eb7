"""Every state that a partition can be in, and every event: what always holds, holds after it."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import UnionType

import pytest
from core.clusters import EPOCH, Ledger, T, broker, brokers, cluster, partition, topic

from klamm.controller.core.admin_znodes import AdminElection, AdminReassignments
from klamm.controller.core.decide import DECISIONS
from klamm.controller.core.events import (
    AdminElectionRead,
    AdminReassignmentsRead,
    AlterPartition,
    AlterReassignment,
    AlterTopic,
    AssignPartitions,
    BeginEntry,
    BeginStep,
    BrokersRead,
    CheckDeletion,
    CheckPartition,
    CheckStatus,
    ClearDebts,
    ConfigRead,
    CounterRead,
    CreatePartitions,
    CreateTopic,
    DebtsRead,
    DeleteTopic,
    DeletionsRead,
    ElectPreferred,
    ElectUnclean,
    Event,
    FaultFound,
    FetchProgress,
    HintsListRead,
    HintsRead,
    LeaderAcknowledged,
    LimitsRead,
    LogDirEventsRead,
    MinIsrRead,
    NodesRead,
    NotificationsRead,
    RemoveHints,
    RemoveZnode,
    ReplicaProgress,
    ReplicasDeleted,
    ReplicasFound,
    RequestEvent,
    RetentionRead,
    RunElection,
    ShutDownBroker,
    StateRead,
    StatusRead,
    SubtreeRead,
    TidyEntries,
    TopicRead,
    WithdrawalsHeard,
    WriteStatus,
)
from klamm.controller.core.hints import hint_of
from klamm.controller.core.model import (
    NO_LEADER,
    Assignment,
    Awaiting,
    ClusterState,
    CommitCounter,
    Deletion,
    Partition,
    TopicPartition,
)
from klamm.controller.core.model import Ledger as Debts
from klamm.controller.core.ops import Create
from klamm.controller.core.pace import UNLIMITED, Limits, Pace, RunningStep, StepHints
from klamm.controller.core.plan import Stop
from klamm.controller.core.settings import Settings
from klamm.controller.core.slots import Slots
from klamm.controller.core.status_book import Chunk, KeptRequest, OpenRequest, StatusBook
from klamm.controller.core.status_writes import first_rows
from klamm.controller.store.memory_tree import Applied
from klamm.controller.znodes import paths
from klamm.controller.znodes.klamm import ReassignmentStep
from klamm.controller.znodes.status import StatusChunk, StatusCounter, StatusHeader

ALL = (1, 2, 3, 4)
MOVING = partition((3, 2, 1), (3,), (1,), leader=1, isr=(1, 2))
JOINED = replace(MOVING, leadership=partition((3, 2, 1), leader=1, isr=(1, 2, 3)).leadership)
LED = partition((1, 2))


def of(part: Partition, online: tuple[int, ...] = ALL) -> ClusterState:
    """T as given, and beside it a partition that nothing is the matter with."""
    return cluster(online, topic("t", {0: part, 1: partition((2, 4))}))


def assigned(part: Partition) -> ClusterState:
    """T is to be on 2 and 3 by request 2, whose status is written; request 1 was complete."""
    state = of(part)
    (rows,) = first_rows(state, {T: (2, 3)}, 5)
    chunk = replace(Chunk.of(StatusChunk(rows)), version=0)
    request = OpenRequest.of(StatusHeader(2, 5, 2, 1), 0, (chunk,))
    kept = {1: KeptRequest(5, 0)}
    return replace(state, status=StatusBook(0, StatusCounter(2), "", False, {2: request}, kept))


def waiting(*, handover: bool) -> ClusterState:
    part = partition((3, 2))
    assert part.leadership is not None
    wait = Awaiting(3, part.leadership.leader_epoch, (1,), handover)
    return replace(of(part), awaiting={T: wait}, ledgers={"t": Debts(2, {0: frozenset({1})})})


def being_deleted(deletion: Deletion, part: Partition = LED) -> ClusterState:
    return replace(of(part), deleting={"t": deletion})


OWED = {"t": Debts(2, {0: frozenset({4, 5}), 7: frozenset({3})})}


def ordered(entries: dict[TopicPartition, tuple[int, ...]], part: Partition = LED) -> ClusterState:
    """These are the set under way, and another entry waits; an election is asked for, too."""
    admin = AdminReassignments(
        0, 50, {**entries, TopicPartition("t", 1): (1, 2)}, entries, unclean=True
    )
    return replace(of(part), admin=admin, election=AdminElection(0, 51, (T,)))


STEP = RunningStep("leader", (3,), (1, 2), 1_700_000_000_000, 1)
RUNS = Pace((3, 1, 2), (1, 2), running=STEP, started=frozenset({3}))
NO_STEPS = {"t": StepHints(4, {})}


def stepped(pace: Pace, part: Partition = MOVING, online: tuple[int, ...] = ALL) -> ClusterState:
    """T moves in steps, as ZooKeeper knows."""
    part = replace(part, pace=pace)
    hint = hint_of(part)
    hints = {"t": StepHints(4, {0: hint})} if hint else {}
    state = replace(of(part, online), limits=Limits(1, 1, 1), has_hints=True, hints=hints)
    return replace(state, slots=Slots.of([(T, pace)]))


LOGS = {1: frozenset({0}), 2: frozenset({0, 1}), 4: frozenset({1})}
STATES: dict[str, ClusterState] = {
    "nobody leads yet": of(Partition(Assignment((1, 2)))),
    "nobody can lead yet": of(Partition(Assignment((8, 9)))),
    "led": of(LED),
    "leader gone": of(LED, (2, 3, 4)),
    "leaderless": of(partition((1, 2), leader=NO_LEADER, isr=(1,)), (2, 3, 4)),
    "leaderless, and back": of(partition((1, 2), leader=NO_LEADER, isr=(1,))),
    "moving": of(MOVING),
    "moving, leader gone": of(MOVING, (2, 3, 4)),
    "moving, nobody led yet": of(Partition(Assignment((3, 1), (3,), (1,)))),
    "additions joined": of(JOINED),
    "held back": replace(
        of(JOINED),
        held_back={3: {T: None}},
        awaiting={TopicPartition("t", 1): Awaiting(3, 3, (1,), handover=True)},
        ledgers={"t": Debts(0, {1: frozenset({1})})},
    ),
    "owes deletes": waiting(handover=False),
    "handed over": waiting(handover=True),
    "leader leaves": replace(of(LED), shutting_down=frozenset({1})),
    "follower leaves": replace(of(LED), shutting_down=frozenset({2})),
    "leader is no replica": of(partition((2, 3), leader=1, isr=(1, 2))),
    "to be deleted": being_deleted(Deletion()),
    "to be deleted, moving": being_deleted(Deletion(), MOVING),
    "being deleted": being_deleted(Deletion(LOGS)),
    "logs are deleted": being_deleted(Deletion({})),
    "logs are deleted, unheard of": being_deleted(Deletion({}, unheard={1: frozenset({0, 1})})),
    "being deleted, unheard of": being_deleted(Deletion(LOGS, unheard=LOGS)),
    "state unreadable": replace(of(LED), unreadable={paths.state(*T): "no JSON"}),
    "topic unreadable": replace(of(LED), unreadable={paths.topic("t"): "no JSON"}),
    "leader's disk is broken": replace(of(LED), offline_replicas={1: frozenset({T})}),
    "a disk is broken": replace(of(MOVING), offline_replicas={2: frozenset({T})}),
    "assigned": assigned(MOVING),
    "assigned, and in sync": assigned(JOINED),
    "debts": replace(of(LED), ledgers=OWED),
    "debts that wait": replace(of(LED), ledgers=OWED, awaiting={T: Awaiting(1, 3, (4, 5))}),
    "debts that are paid": replace(of(LED), ledgers={"t": replace(OWED["t"], paid=OWED["t"].owed)}),
    "debts of a replica": replace(of(LED), ledgers={"t": Debts(3, {0: frozenset({2})})}),
    "debts, being deleted": replace(being_deleted(Deletion(LOGS)), ledgers=OWED),
    "debts of no topic": replace(cluster(ALL), ledgers=OWED),
    "ordered by a znode": ordered({T: (3, 2)}, MOVING),
    "ordered, done": ordered({T: (1, 2)}),
    "ordered, impossible": ordered({T: (9,), TopicPartition("zz", 0): (1,)}),
    "ordered, not begun": ordered({T: (4, 2)}),
    "no topic": cluster(ALL),
    "no step yet": stepped(Pace((1, 2), (1, 2))),
    "a step waits": stepped(Pace((1, 2), (1, 2), waiting="target-offline")),
    "taken over": stepped(Pace((1, 2), (1, 2), started=None)),
    "a step runs": stepped(RUNS),
    "a step is over": stepped(RUNS, JOINED),
    "a step runs, leader gone": stepped(RUNS, online=(2, 3, 4)),
    "a step runs, its broker gone": stepped(RUNS, online=(1, 2, 4)),
    "between two steps": stepped(Pace((3, 1, 2), (1, 2), steps=1), JOINED),
    "all in one step": stepped(replace(RUNS, running=replace(STEP, limit=UNLIMITED)), JOINED),
    "a step runs, to be deleted": replace(stepped(RUNS), deleting={"t": Deletion()}),
    "hints of no move": replace(of(LED), limits=Limits(1), has_hints=True, hints=NO_STEPS),
    "hints without limits": replace(of(LED), has_hints=True, hints=NO_STEPS),
}
ONE_SLOT = Settings(leader_moves_in_flight=1)


def events(state: ClusterState) -> list[Event]:
    """One or more of each kind; facts say what ZooKeeper holds, so that nothing conflicts."""
    known, part = state.topics.get("t"), state.partition(T)
    held = part.leadership if part else None
    epoch, version = (held.leader_epoch, held.version) if held else (0, 0)
    leader = held.leader if held and held.leader in ALL else 1
    counter = CommitCounter()
    debts = state.ledgers.get("t", Debts())
    return [
        BrokersRead(brokers(*ALL)),
        BrokersRead(brokers(2, 3, 4)),
        BrokersRead({**brokers(2, 3, 4), 1: broker(1, epoch=900)}),
        BrokersRead({}),
        NodesRead({900: broker(900), 1: broker(1)}),
        TopicRead("t", known),
        TopicRead("other", None),
        StateRead(T, held),
        StateRead(TopicPartition("t", 9), None),
        FaultFound(paths.state(*T), "no JSON"),
        FaultFound(paths.topic("t"), "no JSON"),
        SubtreeRead(paths.topic("other"), None),
        ConfigRead("/config/topics/t", 0),
        CounterRead(counter),
        NotificationsRead(()),
        RemoveZnode("/admin/delete_topics/odd"),
        LeaderAcknowledged(T, leader, epoch),
        LeaderAcknowledged(T, 9, epoch),
        LimitsRead(Limits()),
        LimitsRead(Limits(1, 1, 1)),
        MinIsrRead(2, {"t": 1}),
        MinIsrRead(None, {"t": None}, complete=False),
        RetentionRead(0),
        LimitsRead(Limits(2, 2, 2)),
        HintsListRead(tuple(state.hints) if state.has_hints else None),
        HintsRead("t", *hinted(state)),
        BeginStep(T),
        RemoveHints(),
        LogDirEventsRead((), frozenset({1, 9})),
        ReplicasFound(leader, leader + 100, frozenset({T})),
        ReplicasFound(2, 102, frozenset(), frozenset({T})),
        ReplicasFound(9, 109, frozenset({T})),
        DeletionsRead(frozenset({"t"})),
        *([] if state.deleting else [DeletionsRead(frozenset())]),
        DebtsRead("t", debts.version, debts.owed),
        DebtsRead("other", None, {}),
        ClearDebts("t"),
        ReplicasDeleted("t", 1, frozenset({0, 1})),
        WithdrawalsHeard(1, {"t": frozenset({0, 1}), "other": frozenset({0})}),
        CheckDeletion("t"),
        CheckPartition(T),
        CheckPartition(T, restarted=frozenset({1, 3})),
        CheckPartition(T, reassigned=True),
        CreateTopic("t", 1, 1, {}, {}, 0, 0),
        CreateTopic("new", -1, -1, {0: (1, 2)}, {}, 0, 0),
        CreatePartitions("t", 3),
        CreatePartitions("t", 3, ((1, 2),)),
        AlterTopic("t"),
        AlterTopic("t", 3, 3),
        AlterTopic("t", replicas=1),
        AlterTopic("t", assignment=((0, (3, 4)), (1, (1, 2)))),
        DeleteTopic("t"),
        ShutDownBroker(1, -1),
        ShutDownBroker(2, 102),
        StatusRead(state.status),
        FetchProgress((ReplicaProgress(T, 3, 450, 0, 900),), 7),
        CheckStatus(T),
        WriteStatus(),
        WriteStatus(progress=True),
        AssignPartitions(((T, (3, 4)), (TopicPartition("t", 9), (1,)))),
        AlterReassignment(T, (3, 4)),
        AlterReassignment(T, (2,)),
        AlterReassignment(T, None),
        AlterReassignment(T, ()),
        AlterPartition(T, leader, leader + 100, epoch, version, (leader,)),
        AlterPartition(T, leader, leader + 100, epoch, version, (1, 2, 3)),
        ElectPreferred(T),
        ElectUnclean(T),
        AdminReassignmentsRead(state.admin.version, state.admin.czxid),
        AdminElectionRead(state.election.version, state.election.czxid),
        BeginEntry(T),
        TidyEntries(),
        RunElection(),
    ]


def hinted(state: ClusterState) -> tuple[int | None, Mapping[int, ReassignmentStep]]:
    found = state.hints.get("t", StepHints())
    return found.version, found.steps


def test_every_kind_of_event_is_tried() -> None:
    assert {type(event) for event in events(STATES["led"])} == DECISIONS.keys()


def ledger(state: ClusterState, event: Event) -> Ledger:
    """A ledger whose ZooKeeper also has what is said to be there beside topics and states."""
    book = Ledger(state, ONE_SLOT)
    there = [paths.delete_topic("odd")]
    if state.topics:
        there.append("/config/topics/t")
    if state.admin.version is not None:
        there += [paths.REASSIGN_PARTITIONS, paths.PREFERRED_REPLICA_ELECTION]
    if state.status.version is not None:
        there += [paths.REASSIGN_STATUS, *map(paths.status_header, (1, 2))]
        there.append(paths.status_chunk(2, 0))
    if "t" in state.deleting or event == DeletionsRead(frozenset({"t"})):
        there.append(paths.delete_topic("t"))
    for path in there:
        if path not in book.tree.nodes:
            assert isinstance(book.tree.apply((Create(path, None),), session=0), Applied), path
    return book


def holds(book: Ledger) -> None:
    """Invariants of the catalogue that one state shows; the ledger compares it with ZooKeeper."""
    state = book.state
    for name, part in state.partitions():
        assignment, held = part.assignment, part.leadership
        assert set(assignment.replicas) == {*assignment.origin, *assignment.target}, name
        assert not set(assignment.adding) & set(assignment.removing), name
        if held is not None:
            assert held.isr, name
            assert held.leader == NO_LEADER or held.leader in held.isr, name
    for message in book.messages:
        if isinstance(message, Stop) and message.delete and not state.vanishing(message.name.topic):
            assert not state.is_replica(message.name, message.broker), message


def settled(book: Ledger) -> None:
    """Once nothing follows: who leads is online, of all partitions that may be touched."""
    for name, part in book.state.partitions():
        readable = {paths.topic(name.topic), paths.state(*name)}.isdisjoint(book.state.unreadable)
        if readable and not book.state.vanishing(name.topic) and part.leadership is not None:
            gone = part.leader not in book.state.brokers
            assert part.leader == NO_LEADER or not gone, name


CUTS: tuple[Callable[[Event], tuple[Event, ...]], ...] = (
    lambda event: (event,),
    lambda event: (event, event),
    lambda event: (BrokersRead({**brokers(2, 3, 4), 1: broker(1, epoch=900)}), event),
)


@pytest.mark.parametrize("name", STATES)
@pytest.mark.parametrize("cut", range(len(CUTS)), ids=["once", "twice", "after a restart"])
def test_every_pair(name: str, cut: int) -> None:
    state = STATES[name]
    assert isinstance(RequestEvent, UnionType)
    for event in events(state):
        turn = CUTS[cut](event)
        if turn.count(event) == 2 and isinstance(event, CheckDeletion | RemoveZnode):
            continue  # the node queues each of them once
        book = ledger(state, event)
        due = book.turn(*turn)
        asked = {n for n, each in enumerate(turn, 1) if isinstance(each, RequestEvent.__args__)}
        for number in asked:
            waiters = [w for each in book.state.deleting.values() for w in each.waiters]
            assert len(book.results.get(number, ())) + waiters.count(number) == 1, event
        holds(book)
        for _ in range(10):
            if not due:
                break
            due = book.turn(*due)
            holds(book)
        assert not due, event
        if cut == 2:
            settled(book)
        assert book.state.epoch == EPOCH
