"""What the journal says of a node's life, and that its form is the one that is published."""

import json
from collections import Counter
from pathlib import Path

import pytest
from journal_replay import Replay
from node.moving import T, U, create, with_topic
from node_world import World, in_office

from klamm.controller.configs.alter import AlterBroker, AlterTopic, Change, Operation
from klamm.controller.configs.producer_ids import AllocateProducerIds
from klamm.controller.core.events import AlterReassignment, CreateTopic
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.ops import ANY_VERSION, Check, Create, Delete
from klamm.controller.core.origins import ANONYMOUS, FromClient
from klamm.controller.node import NodeConfig
from klamm.controller.node.counters import COUNTERS_TIMER, count
from klamm.controller.node.effects import Commit, Journal, Send
from klamm.controller.node.forms import Line
from klamm.controller.node.inputs import Request, RequestEvent, Transactions
from klamm.controller.node.kinds import KINDS
from klamm.controller.node.lines import encode, schema
from klamm.controller.node.recorder import CONTENT_PARTITIONS
from klamm.controller.znodes import paths
from klamm.controller.znodes.controller import ControllerZnode, encode_controller
from klamm.protocol.generated.leader_and_isr_request import LeaderAndIsrRequest

SCHEMA = Path(__file__).resolve().parents[2] / "schemas" / "journal.json"
CLIENT = FromClient("127.0.0.1:5000", "admin-1", 7, 45)


def ask(world: World, *events: RequestEvent, rest: bool = True) -> None:
    """Ask as a client with a name."""
    number = 1_000 + len(world.effects)
    world.post(Request(number, events, CLIENT))
    if rest:
        world.settle()


def told(world: World, kind: str) -> list[Line]:
    return [each for each in world.replay.lines if each.kind == kind]


def test_the_published_schema_is_that_of_the_lines() -> None:
    text = json.dumps(schema(), indent=2) + "\n"
    assert SCHEMA.read_text() == text, f"{SCHEMA} is not schema() of klamm.controller.node.lines"


def test_every_kind_is_explained() -> None:
    assert all(text and text == text.strip() for text in KINDS.values())


def test_a_start_says_who_asked_what_was_decided_and_what_came_of_it() -> None:
    world = with_topic()
    before = world.data(paths.topic("t"))
    ask(world, AlterReassignment(T, (4, 2, 3)))
    (each,) = told(world, "accept")
    assert (each.topic, each.partition, each.epoch) == ("t", 0, 1)
    assert (each.principal, each.client_id) == (ANONYMOUS, "admin-1")
    assert each.cause is not None
    assert (each.cause.kind, each.cause.peer) == ("client", "127.0.0.1:5000")
    assert (each.cause.correlation_id, each.cause.api_key) == (7, 45)
    assert each.event is not None
    assert (each.event.kind, each.event.fields["target"]) == ("AlterReassignment", [4, 2, 3])
    assert each.before is not None
    assert each.after is not None
    assert [each.before.replicas, each.after.replicas] == [(1, 2, 3), (4, 2, 3, 1)]
    assert (each.after.adding, each.after.removing) == ((4,), (1,))
    assert (each.before.leader_epoch, each.after.leader_epoch) == (0, 1)
    assert (each.after.leader, each.after.isr) == (1, (1, 2, 3))
    written = {write.path: (write.before, write.after) for write in each.writes}
    assert written == {paths.topic("t"): (0, 1), paths.state("t", 0): (0, 1)}
    assert [message.kind for message in each.messages] == ["leader-and-isr", "update-metadata"]
    assert (each.messages[0].brokers, each.messages[0].is_new) == ((1, 2, 3, 4), (4,))
    assert each.reply is not None
    assert (each.reply.code, each.reply.error) == (0, "NONE")
    assert before != world.data(paths.topic("t"))


@pytest.mark.req("R455-85")
def test_the_entry_of_a_start_comes_after_its_write_and_before_any_request_to_a_broker() -> None:
    world = with_topic()
    ask(world, AlterReassignment(T, (4, 2, 3)))
    kinds = [
        kind
        for effect in world.effects
        for kind in (
            ["write"] * isinstance(effect, Commit)
            + ["entry"] * (isinstance(effect, Journal) and effect.kind == "accept")
            + ["send"]
            * (isinstance(effect, Send) and isinstance(effect.message, LeaderAndIsrRequest))
        )
    ]
    assert kinds[:2] == ["write", "entry"]
    assert "send" in kinds[2:]


@pytest.mark.parametrize("active", [True, False])
def test_altered_configs_are_told_by_name_and_never_by_value(active: bool) -> None:
    world = with_topic()
    if not active:
        other = encode_controller(ControllerZnode(1, 0))
        world.write(Delete(paths.CONTROLLER, ANY_VERSION), Create(paths.CONTROLLER, other))
        world.settle()
    assert world.node.active == active
    rate, hidden = "leader.replication.throttled.rate", "some.token"
    on = (Change(rate, Operation.SET, "5"), Change(hidden, Operation.SET, "hush"))
    off = (Change(rate, Operation.SET, "6"), Change(hidden, Operation.DELETE))
    retention = (Change("retention.ms", Operation.SET, "77777"),)
    asked: list[AlterBroker | AlterTopic] = [
        AlterBroker(900, on),
        AlterBroker(900, off),
        AlterBroker(None, on[:1]),
        AlterTopic("t", retention, 900),
        AlterTopic("t", retention, 900, validate_only=True),
        AlterTopic("no", retention, 900),
    ]
    for number, transaction in enumerate(asked):
        world.post(Transactions(1_000 + number, (transaction,), CLIENT))
        world.settle()
    entries = told(world, "config-altered")
    assert [(each.topic, each.text) for each in entries] == [
        (None, f"brokers/900: set {rate}, {hidden}"),
        (None, f"brokers/900: set {rate}; unset {hidden}"),
        (None, f"brokers/<default>: set {rate}"),
        ("t", "topics/t: set retention.ms"),
    ]
    assert {(each.principal, each.client_id) for each in entries} == {(ANONYMOUS, "admin-1")}
    assert {each.cause.peer for each in entries if each.cause} == {CLIENT.peer}
    written = [
        [(write.path, write.before, write.after) for write in each.writes] for each in entries
    ]
    before = written[3][0][1]
    assert written == [
        [("/config/brokers/900", None, 0)],
        [("/config/brokers/900", 0, 1)],
        [("/config/brokers/<default>", None, 0)],
        [("/config/topics/t", before, 0 if before is None else before + 1)],
    ]
    text = b"".join(map(encode, entries)).decode()
    assert not [value for value in ("hush", "77777") if value in text]


def test_a_block_of_producer_ids_is_told() -> None:
    world = with_topic()
    assert world.node.state is not None
    fence = Check(paths.CONTROLLER_EPOCH, world.node.state.fence_version)
    for _ in range(2):
        world.transact(AllocateProducerIds(3, fence))
        world.settle()
    entries = told(world, "producer-ids")
    assert [each.text for each in entries] == ["broker 3: 0-999", "broker 3: 1000-1999"]
    assert [len(each.writes) for each in entries] == [1, 1]
    assert {each.writes[0].path for each in entries} == {paths.PRODUCER_ID_BLOCK}


def test_a_move_from_start_to_end_is_a_chain_of_causes() -> None:
    world = with_topic()
    ask(world, AlterReassignment(T, (4, 2, 3)))
    world.leader_writes_isr(T, (1, 2, 3, 4))
    world.settle()
    (joined,), (end,) = told(world, "isr-join"), told(world, "end")
    assert joined.cause is not None
    assert (joined.cause.kind, joined.cause.path) == ("watch", paths.state("t", 0))
    assert joined.before is not None
    assert joined.after is not None
    assert (joined.before.isr, joined.after.isr) == ((1, 2, 3), (1, 2, 3, 4))
    assert end.cause is not None
    assert (end.cause.kind, end.cause.sequence) == ("entry", joined.seq)
    assert end.after is not None
    assert (end.after.replicas, end.after.adding, end.after.removing) == ((4, 2, 3), (), ())
    assert [m.kind for m in end.messages if m.brokers == (1,) and not m.delete] == ["stop-replica"]
    # The delete waits until the new leader has answered, and is told of then.
    deletes = [m for each in told(world, "told") for m in each.messages if m.delete]
    assert [(m.kind, m.brokers) for m in deletes] == [("stop-replica", (1,))]


def test_what_a_request_can_come_to_has_a_kind_each() -> None:
    world = with_topic()
    ask(world, AlterReassignment(T, None))
    ask(world, AlterReassignment(T, (4, 2, 3)))
    ask(world, AlterReassignment(T, (5, 2, 3)))
    ask(world, AlterReassignment(T, None))
    ask(world, AlterReassignment(T, (2, 3, 1)), AlterReassignment(TopicPartition("no", 0), (1,)))
    asked = [each for each in world.replay.lines if each.cause and each.cause.kind == "client"]
    assert [each.kind for each in asked] == [
        "refuse", "accept", "supersede", "cancel", "no-op", "refuse",
    ]  # fmt: skip
    codes = [each.reply.error if each.reply else None for each in asked]
    none, unknown = "NONE", "UNKNOWN_TOPIC_OR_PARTITION"
    assert codes == ["NO_REASSIGNMENT_IN_PROGRESS", none, none, none, none, unknown]
    assert [(each.topic, each.partition) for each in asked] == [*[("t", 0)] * 5, ("no", 0)]


def test_an_office_begins_with_a_snapshot_before_its_first_decision() -> None:
    world = with_topic()
    count = len(world.replay.lines)
    world.zookeeper.expire(world.store)
    world.settle()
    later = world.replay.lines[count:]
    kinds = [each.kind for each in later]
    assert kinds[:2] == ["resigned", "session-given-up"]
    begun = kinds.index("elected")
    assert kinds[begun : begun + 3] == ["elected", "snapshot", "snapshot-topic"]
    assert not [each for each in later[begun + 3 :] if each.kind == "topic-read"], "told already"
    snapshot, topic = later[begun + 1], later[begun + 2]
    assert snapshot.epoch == 2
    assert snapshot.brokers is not None
    assert [broker.id for broker in snapshot.brokers] == [1, 2, 3, 4, 5]
    assert topic.content is not None
    assert topic.content.partitions[0].replicas == (1, 2, 3)
    assert world.node.state is not None
    world.replay.assert_is(world.node.state)


def test_a_large_topic_takes_lines_of_bounded_size() -> None:
    world = in_office()
    count = CONTENT_PARTITIONS + 5
    assignment = dict.fromkeys(range(count), (1, 2))
    world.ask(CreateTopic("large", -1, -1, assignment, {}, 0, 0))
    world.zookeeper.expire(world.store)
    world.settle()
    parts = [each.content for each in told(world, "snapshot-topic") if each.content]
    assert [(len(part.partitions), part.first) for part in parts] == [
        (CONTENT_PARTITIONS, True),
        (5, False),
    ]
    assert world.node.state is not None
    world.replay.assert_is(world.node.state)


def test_a_journal_that_begins_with_a_snapshot_is_enough() -> None:
    """Older files are removed: what is left tells of everything from its first snapshot on."""
    world = with_topic()
    world.zookeeper.expire(world.store)
    world.settle()
    ask(world, AlterReassignment(T, (4, 2, 3)), create(name="u"))
    lines = world.replay.lines
    last = max(number for number, each in enumerate(lines) if each.kind == "snapshot")
    replay = Replay()
    for each in lines[last:]:
        replay.take(each)
    assert world.node.state is not None
    replay.assert_is(world.node.state)


def test_what_is_open_at_the_end_of_an_office_is_refused_in_the_journal_too() -> None:
    world = with_topic()
    ask(world, AlterReassignment(T, (4, 2, 3)), rest=False)
    world.feed()
    world.zookeeper.expire(world.store)
    world.settle()
    refused = told(world, "refuse")
    assert [each.reply.error for each in refused if each.reply] == ["NOT_CONTROLLER"]


def test_the_numbers_begin_where_they_are_told_to() -> None:
    world = World(NodeConfig(900, (), first_sequence=41))
    world.settle()
    assert [each.seq for each in world.replay.lines][:2] == [41, 42]


def test_brokers_that_come_and_go_are_told_with_their_watch() -> None:
    world = with_topic()
    world.unregister(1)
    world.settle()
    gone = told(world, "brokers")[-1]
    assert gone.text == "gone [1], new [], now [2, 3, 4, 5]"
    assert gone.cause is not None
    assert gone.cause.path in (paths.broker(1), paths.BROKER_IDS)
    (elected,) = told(world, "elect")
    assert elected.cause is not None
    assert elected.cause.sequence == gone.seq
    assert elected.after is not None
    assert (elected.after.leader, elected.after.isr) == (2, (2, 3))


def test_the_counters_are_those_of_the_journal() -> None:
    world = with_topic(partitions=3)
    ask(world, AlterReassignment(T, (4, 2, 3)), AlterReassignment(U, (1, 2, 5)))
    world.unregister(1)
    world.settle()
    world.timers[COUNTERS_TIMER] = 60.0
    world.run_timer(COUNTERS_TIMER)
    world.settle()
    (each,) = told(world, "counters")
    topics = world.replay.topics.values()
    replayed = [part for topic in topics for part in topic.partitions.values()]
    moving = [part for part in replayed if part.adding or part.removing]
    assert len(moving) == 2
    assert each.counters == {
        "ActiveControllerCount": 1,
        "GlobalTopicCount": 1,
        "GlobalPartitionCount": len(replayed),
        "ReassigningPartitions": len(moving),
        "ReassigningPartitionsByLeader": dict(Counter(part.leader for part in moving)),
    }
    assert count(world.node.state).by_name() == each.counters


def test_a_node_that_is_no_controller_counts_nothing() -> None:
    world = World()
    assert count(world.node.state).by_name()["ActiveControllerCount"] == 0
    world.timers[COUNTERS_TIMER] = 60.0
    world.run_timer(COUNTERS_TIMER)
    world.feed()
    assert told(world, "counters") == []
