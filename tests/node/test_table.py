"""Every phase and every kind of input: nothing raises, and what has no row changes nothing."""

import copy
from dataclasses import fields, is_dataclass
from types import UnionType
from uuid import UUID

import pytest
from node_world import ENDPOINT, World, in_office

from klamm.controller.configs.describe import DescribeTopics
from klamm.controller.core.events import (
    AlterPartition,
    AlterReassignment,
    AlterTopic,
    AssignPartitions,
    CreatePartitions,
    CreateTopic,
    DeleteTopic,
    ElectPreferred,
    ElectUnclean,
    RequestEvent,
    ShutDownBroker,
)
from klamm.controller.core.fact_events import ReplicaProgress
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.ops import Create
from klamm.controller.core.origins import FromClient
from klamm.controller.node import Node, Now, Phase
from klamm.controller.node.broker_links import RESEND_TIMER
from klamm.controller.node.candidacy import STAND_TIMER
from klamm.controller.node.counters import COUNTERS_TIMER
from klamm.controller.node.inputs import (
    Audited,
    BrokerAnswer,
    ControllerHeard,
    CopiesWanted,
    Input,
    ProgressHeard,
    Request,
    Timer,
    Transactions,
    Turn,
    Woke,
)
from klamm.controller.node.machine import TRANSITIONS
from klamm.controller.node.notices import NOTICES_TIMER
from klamm.controller.node.outlook import LOOK_TIMER
from klamm.controller.node.rebalance import REBALANCE_TIMER
from klamm.controller.node.sessions import SESSION_TIMER
from klamm.controller.node.status import STATUS_TIMER, SWEEP_TIMER
from klamm.controller.node.turns import RETRY_TIMER
from klamm.controller.store.port import (
    CommitDone,
    Committed,
    Conflict,
    Fenced,
    Missing,
    OpError,
    OpResult,
    ReadDone,
    Refused,
    SessionEvent,
    SessionState,
    Unknown,
    UpdateDone,
    WatchDone,
    Watched,
    WatchKind,
)
from klamm.controller.znodes import paths
from klamm.controller.znodes.controller import ControllerZnode, encode_controller
from klamm.protocol.generated.leader_and_isr_response import LeaderAndIsrResponse
from klamm.protocol.generated.stop_replica_response import StopReplicaResponse
from klamm.protocol.generated.update_metadata_response import UpdateMetadataResponse

NOW = Now(5.0, 1_700_000_000_000)
ALTER = AlterReassignment(TopicPartition("t", 0), (1, 2))
#: One event of each kind that a request may hold.
REQUESTS: tuple[RequestEvent, ...] = (
    ALTER,
    AssignPartitions(((TopicPartition("t", 0), (1, 2)),)),
    AlterTopic("t", partitions=2),
    CreateTopic("t", -1, -1, {}, {}, 0, 0, topic_id=UUID(int=7)),
    CreatePartitions("t", 2),
    DeleteTopic("t"),
    AlterPartition(TopicPartition("t", 0), 1, 1, 0, 0, (1,)),
    ShutDownBroker(1, -1),
    ElectPreferred(TopicPartition("t", 0)),
    ElectUnclean(TopicPartition("t", 0)),
)
TIMERS = (
    SESSION_TIMER,
    STAND_TIMER,
    RETRY_TIMER,
    RESEND_TIMER,
    NOTICES_TIMER,
    REBALANCE_TIMER,
    COUNTERS_TIMER,
    LOOK_TIMER,
    STATUS_TIMER,
    SWEEP_TIMER,
    "other",
)
IGNORED = {
    (Phase.STANDBY, CommitDone),
    (Phase.STANDBY, BrokerAnswer),
    (Phase.STANDBY, Turn),
    (Phase.ELECTING, BrokerAnswer),
    (Phase.ELECTING, Turn),
    (Phase.LOADING, CommitDone),
    (Phase.LOADING, BrokerAnswer),
    (Phase.LOADING, Turn),
    *((phase, ProgressHeard) for phase in Phase if phase is not Phase.ACTIVE),
    *((phase, CopiesWanted) for phase in Phase if phase is not Phase.ACTIVE),
}


def kinds() -> set[type]:
    assert isinstance(Input, UnionType)
    return set(Input.__args__)


def _name(kind: type) -> str:
    return kind.__name__


def world_in(phase: Phase) -> World:
    """A world whose node has just come to this phase; what it asked for is on its way."""
    if phase is Phase.ACTIVE:
        return in_office()
    world = World()
    if phase is Phase.STANDBY:
        other = encode_controller(ControllerZnode(1, 0))
        world.write(Create(paths.CONTROLLER, other))
        world.settle()
    elif phase is Phase.ELECTING:
        world.zookeeper.connect(world.store)
        world.feed()
    else:
        for _ in range(20):
            if world.node.phase is Phase.LOADING:
                break
            world.step()
    assert world.node.phase is phase
    return world


def samples(node: Node, kind: type) -> list[Input]:
    """Inputs of a kind: answers to what was asked last, to nothing, and of another session."""
    office, turns = node.office, node.turns
    asked = {0, -10_000, office.question, office.election, office.registration, office.inspection}
    asked |= {node.outlook.question, node.outlook.reading}
    if turns is not None:
        asked |= {turns.survey_request, turns.inquiry_request}
        asked |= {turns.in_flight.request} if turns.in_flight else set()
    done = Committed((OpResult("/a", 1), OpResult("/b", 7)))
    failures = (Unknown("lost"), Refused("no"))
    found: list[Input] = []
    for session in (office.session, office.session + 1000):
        for request in asked:
            outcomes = (done, Conflict(0, OpError.NODE_EXISTS), *failures)
            found += [UpdateDone(session, request, outcome) for outcome in outcomes]
            found += [CommitDone(session, request, o) for o in (*outcomes, Fenced())]
            found += [ReadDone(session, request, failure) for failure in failures]
            found += [WatchDone(session, request, failure) for failure in (None, *failures)]
        gone = (Missing(paths.CONTROLLER), Missing(paths.CONTROLLER_EPOCH))
        found.append(ReadDone(session, office.question, gone))
        found.append(ReadDone(session, office.inspection, gone[:1]))
        for path in (paths.CONTROLLER, paths.TOPICS, paths.broker(1), "/other", "/"):
            found += [Watched(session, path, kind) for kind in WatchKind]
        found += [SessionEvent(session, state, 9_000) for state in SessionState]
    found += [Timer(name) for name in TIMERS]
    found += [Woke(20.0), ControllerHeard(0), ControllerHeard(9)]
    progress = ReplicaProgress(TopicPartition("t", 0), 2, 5, 0, 9)
    found += [ProgressHeard((), 1), ProgressHeard((progress,), 2)]
    found += [CopiesWanted(()), CopiesWanted((progress.partition,))]
    found += [Audited("x", FromClient("127.0.0.1:5000", None, 1, 45))]
    found += [Request(1, ()), *(Request(2, (event,)) for event in REQUESTS), Turn()]
    found += [Transactions(3, ()), Transactions(4, (DescribeTopics(("t",), 900),))]
    responses = (LeaderAndIsrResponse(), UpdateMetadataResponse(), StopReplicaResponse(), None)
    for broker in (1, 9):
        found += [BrokerAnswer(broker, 1, 1, response) for response in responses]
    return [event for event in found if type(event) is kind]


def snapshot(value: object) -> object:
    """A value as plain tuples, so that two moments of an object can be compared."""
    if is_dataclass(value) and not isinstance(value, type):
        return (type(value), *(snapshot(getattr(value, field.name)) for field in fields(value)))
    if isinstance(value, dict):
        return tuple((snapshot(key), snapshot(item)) for key, item in value.items())
    if isinstance(value, list | tuple):
        return tuple(snapshot(item) for item in value)
    if hasattr(value, "__dict__") and not isinstance(value, type) and not callable(value):
        return (type(value), snapshot(vars(value)))
    return copy.copy(value) if isinstance(value, set) else value


def test_every_kind_of_request_is_tried() -> None:
    assert isinstance(RequestEvent, UnionType)
    assert {type(event) for event in REQUESTS} == set(RequestEvent.__args__)


def test_the_table_ignores_exactly_these_pairs() -> None:
    pairs = {(phase, kind) for phase in Phase for kind in kinds()}
    assert pairs - TRANSITIONS.keys() == IGNORED
    assert TRANSITIONS.keys() <= pairs


@pytest.mark.parametrize("phase", Phase, ids=lambda phase: phase.value)
@pytest.mark.parametrize("kind", sorted(kinds(), key=str), ids=_name)
def test_every_pair(phase: Phase, kind: type) -> None:
    start = world_in(phase).node
    events = samples(start, kind)
    assert events
    for event in events:
        node = copy.deepcopy(start)
        node.now, node.out = NOW, []
        before = snapshot(node)
        effects = node.handle(NOW, event)
        former = getattr(event, "session", node.office.session) > 1000 and kind is not SessionEvent
        if (phase, kind) in IGNORED or former:
            assert effects == ()
            assert snapshot(node) == before
        if node.turns is None:
            assert not node.active
            assert len(node.requests) == 0
        assert (node.state is not None) == node.active


def test_an_event_of_another_session_changes_nothing_whatever_it_says() -> None:
    node = in_office().node
    node.now, node.out = NOW, []
    before = snapshot(node)
    for kind in (UpdateDone, CommitDone, ReadDone, WatchDone, Watched, SessionEvent):
        for event in samples(node, kind):
            if getattr(event, "session", 0) > 1000:
                assert node.handle(NOW, event) == ()
    assert snapshot(node) == before


def test_a_node_is_a_value_that_can_be_copied_and_goes_on_alike() -> None:
    node = in_office().node
    other = copy.deepcopy(node)
    events: list[Input] = [Request(1, (ALTER,)), Timer("retry"), Turn()]
    assert [node.handle(NOW, event) for event in events] == [
        other.handle(NOW, event) for event in events
    ]
    assert snapshot(node) == snapshot(other)
    assert node.config.endpoints == (ENDPOINT,)
