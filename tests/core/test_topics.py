"""CreateTopics: Kafka's checks in their order, and the znodes of a new topic."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import pytest
from core.clusters import Ledger, broker, cluster, partition, read_topic, topic

from klamm.controller.core import creation
from klamm.controller.core.events import (
    UNSET,
    AlterReassignment,
    CheckPartition,
    ConfigRead,
    CreateTopic,
)
from klamm.controller.core.model import Assignment, Broker, ClusterState, TopicPartition
from klamm.controller.core.ops import Create, SetData
from klamm.controller.core.packing import COMMIT_BYTES, OPS_PER_COMMIT
from klamm.controller.core.plan import Lead, Publish
from klamm.controller.core.results import Done, Fault, Refusal, TopicCreated
from klamm.controller.core.rules import APACHE_3_9, KIP_455, Rules
from klamm.controller.core.settings import Settings
from klamm.controller.store.memory_tree import Applied
from klamm.controller.znodes import paths
from klamm.controller.znodes.topic import TopicZnode, encode_topic

CONFIG = "/config/topics/new"


def create(
    name: str = "new",
    partitions: int = 3,
    replication_factor: int = 2,
    assignment: Mapping[int, tuple[int, ...]] = MappingProxyType({}),
    configs: Mapping[str, str] = MappingProxyType({}),
    validate_only: bool = False,
) -> CreateTopic:
    return CreateTopic(
        name, partitions, replication_factor, assignment, configs, 0, 0, validate_only
    )


def ledger(*names: str) -> Ledger:
    return Ledger(cluster((1, 2, 3), *(topic(name, {0: partition((1,))}) for name in names)))


def refused(book: Ledger, event: CreateTopic) -> tuple[Fault, str]:
    before = book.state
    result = book.ask(event)
    assert isinstance(result, Refusal)
    assert book.state == before
    return result.fault, result.message


def test_a_topic_is_created_with_all_its_znodes_in_one_commit() -> None:
    book = ledger()
    (commit,) = book.plan(create(configs={"retention.ms": "7"}))
    assert commit.results == ((1, TopicCreated(3, 2)),)
    assert [entry.kind for entry in commit.entries] == ["topic-created", *["initialize"] * 3]
    book.carry_out(commit)
    assert read_topic(book.tree, "new").partitions == {0: (1, 2), 1: (2, 3), 2: (3, 1)}
    assert book.tree.nodes[CONFIG].data == b'{"version":1,"config":{"retention.ms":"7"}}'
    assert book.tree.nodes[paths.partitions("new")].data is None
    assert book.tree.nodes[paths.partition("new", 0)].data is None
    led = {n: (p.leader, p.leadership) for n, p in book.state.topics["new"].partitions.items()}
    assert [leader for leader, _ in led.values()] == [1, 2, 3]
    assert all(held is not None and held.leader_epoch == 0 for _, held in led.values())
    assert commit.messages[:2] == (
        Lead(TopicPartition("new", 0), (1, 2), is_new=(1, 2)),
        Publish(TopicPartition("new", 0)),
    )
    assert book.settle(*commit.follow_ups) == []


def test_replicas_that_are_offline_are_not_in_the_first_isr() -> None:
    book = ledger()
    book.turn(create(assignment={0: (9, 2), 1: (9, 8)}))
    parts = book.state.topics["new"].partitions
    assert parts[0].leadership is not None
    assert (parts[0].leader, parts[0].leadership.isr) == (2, (2,))
    assert parts[1].leadership is None
    assert book.state.topics["new"].bare == frozenset()


def test_a_dry_run_checks_and_creates_nothing() -> None:
    book = ledger()
    assert book.ask(create(validate_only=True)) == TopicCreated(3, 2)
    assert book.state.topics == {}
    assert refused(book, create(validate_only=True, partitions=0))[0] is Fault.INVALID_PARTITIONS


def test_counts_left_open_take_the_defaults() -> None:
    book = Ledger(cluster((1, 2, 3)), Settings(default_partitions=4, default_replication_factor=3))
    assert book.ask(create(partitions=UNSET, replication_factor=UNSET)) == TopicCreated(4, 3)
    assert Settings().default_partitions == Settings().default_replication_factor == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("", "the empty string is not allowed"),
        (".", "'.' is not allowed"),
        ("..", "'..' is not allowed"),
        ("x" * 250, "longer than the max allowed length 249"),
        ("a b", "ASCII alphanumerics"),
        ("ä", "ASCII alphanumerics"),
        ("a/b", "ASCII alphanumerics"),
        ("a\n", "ASCII alphanumerics"),
    ],
)
def test_unlawful_names(name: str, text: str) -> None:
    fault, message = refused(ledger(), create(name))
    assert fault is Fault.INVALID_TOPIC_EXCEPTION
    assert message.startswith("Topic name is invalid: ")
    assert text in message


@pytest.mark.parametrize("name", ["x" * 249, "a", "...", "A.b_c-9", "__consumer_offsets"])
def test_lawful_names(name: str) -> None:
    assert ledger().ask(create(name)) == TopicCreated(3, 2)


def test_names_whose_metrics_would_collide() -> None:
    book = ledger("a.b", "a_c", "other")
    fault, message = refused(book, create("a_b"))
    assert fault is Fault.INVALID_TOPIC_EXCEPTION
    assert message == "Topic 'a_b' collides with existing topics: a.b"
    assert book.ask(create("a-b")) == TopicCreated(3, 2)


def test_names_collide_with_those_of_the_same_turn() -> None:
    book = ledger()
    book.turn(create("a.b"), create("a_b"))
    assert isinstance(book.results[2][0], Refusal)
    assert set(book.state.topics) == {"a.b"}


def test_a_topic_that_exists() -> None:
    assert refused(ledger("new"), create()) == (
        Fault.TOPIC_ALREADY_EXISTS,
        "Topic 'new' already exists.",
    )
    # Existence is looked at first: the counts are wrong too.
    assert refused(ledger("new"), create(partitions=0))[0] is Fault.TOPIC_ALREADY_EXISTS


@pytest.mark.parametrize(
    ("event", "fault", "text"),
    [
        (create(partitions=0), Fault.INVALID_PARTITIONS, "non-positive value: 0"),
        (create(partitions=-2), Fault.INVALID_PARTITIONS, "non-positive value: -2"),
        (create(replication_factor=0), Fault.INVALID_REPLICATION_FACTOR, "larger than 0"),
        (create(replication_factor=-3), Fault.INVALID_REPLICATION_FACTOR, "larger than 0"),
        (
            create(replication_factor=4),
            Fault.INVALID_REPLICATION_FACTOR,
            "Replication factor: 4 larger than available brokers: 3.",
        ),
        (create(assignment={1: (1,)}), Fault.INVALID_REPLICA_ASSIGNMENT, "but are [1]"),
        (create(assignment={0: (1,), 2: (1,)}), Fault.INVALID_REPLICA_ASSIGNMENT, "but are [0, 2]"),
        (create(assignment={0: (1,), 1: (1, 2)}), Fault.INVALID_REPLICA_ASSIGNMENT, "same number"),
        (create(assignment={0: ()}), Fault.INVALID_REPLICA_ASSIGNMENT, "at least one replica"),
        (create(assignment={0: (1, 1)}), Fault.INVALID_REPLICA_ASSIGNMENT, "partition 0 [1, 1]"),
        (create(assignment={0: (-1,)}), Fault.INVALID_REPLICA_ASSIGNMENT, "partition 0 [-1]"),
    ],
)
def test_counts_and_assignments_that_cannot_be(event: CreateTopic, fault: Fault, text: str) -> None:
    found, message = refused(ledger(), event)
    assert found is fault
    assert text in message


def test_more_partitions_than_one_znode_holds_are_refused_before_they_are_assigned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fault, message = refused(ledger(), create(partitions=500_000, replication_factor=3))
    assert fault is Fault.INVALID_PARTITIONS
    assert message == (
        "Number of partitions was set to 500000, but a topic's znode holds about 52941 at most "
        "with 3 replicas each."
    )
    monkeypatch.setattr(creation, "assign_replicas", pytest.fail)
    for partitions in (2**31 - 1, 500_000):
        event = create(partitions=partitions, replication_factor=3)
        assert refused(ledger(), event)[0] is Fault.INVALID_PARTITIONS
    explicit = create(assignment=dict.fromkeys(range(80_000), (2**31 - 1,)))
    fault, message = refused(ledger(), explicit)
    assert fault is Fault.INVALID_PARTITIONS
    assert "80000" in message


def test_the_largest_topic_that_is_not_refused_fits_into_its_znode() -> None:
    largest = COMMIT_BYTES // (5 + 5 + 2 * 2)
    event = create(partitions=largest, validate_only=True)
    assert ledger().ask(event) == TopicCreated(largest, 2)
    more = replace(event, partitions=largest + 1)
    assert refused(ledger(), more)[0] is Fault.INVALID_PARTITIONS
    znode = TopicZnode(2, dict.fromkeys(range(largest), (1, 2)))
    assert COMMIT_BYTES - 20_000 < len(encode_topic(znode)) <= COMMIT_BYTES


def test_racks_count_when_every_broker_has_one() -> None:
    racks = {id_: broker(id_, rack="ab"[id_ % 2]) for id_ in (1, 2, 3, 4)}
    book = Ledger(ClusterState(900, 5, 5, brokers=racks))
    book.turn(create(partitions=4))
    for part in book.state.topics["new"].partitions.values():
        assert len({_rack(racks, id_) for id_ in part.assignment.replicas}) == 2


def _rack(racks: dict[int, Broker], id_: int) -> str | None:
    return racks[id_].rack


# --- with others in the same turn ------------------------------------------------------------


def test_the_second_of_two_creations_hears_no_when_the_first_is_durable() -> None:
    book = ledger()
    *_, commit = book.plan(create(), create())
    assert [(cause, type(result)) for cause, result in commit.results] == [
        (1, TopicCreated),
        (2, Refusal),
    ]
    assert commit.causes == (1, 2)


def test_a_move_of_a_topic_created_in_the_same_turn() -> None:
    book = ledger()
    alter = AlterReassignment(TopicPartition("new", 0), (3, 2))
    book.turn(create(assignment={0: (1, 2)}), alter)
    assert book.results[2] == [Done()]
    part = book.state.topics["new"].partitions[0]
    assert part.assignment == Assignment((3, 2, 1), (3,), (1,))
    assert book.writes("new") == 1


def test_a_no_op_on_a_topic_created_in_the_same_turn_is_answered_with_the_creation() -> None:
    book = ledger()
    name = TopicPartition("new", 0)
    plan = book.plan(create(assignment={0: (8, 9)}), AlterReassignment(name, (8, 9)))
    (answering,) = [commit for commit in plan if commit.results]
    assert answering.ops
    assert answering.results == ((1, TopicCreated(1, 2)), (2, Done()))


def test_configs_left_behind_are_set_and_not_created() -> None:
    """F50: a deletion that was cut short leaves them."""
    book = ledger()
    assert isinstance(book.tree.apply((Create(CONFIG, b"{}"),), session=0), Applied)
    book.tree.nodes[CONFIG].version = 4
    *_, commit = book.plan(ConfigRead(CONFIG, 4), create())
    assert commit.ops[0] == SetData(CONFIG, b'{"version":1,"config":{}}', 4)
    book.carry_out(commit)


@pytest.mark.parametrize("rules", [APACHE_3_9, KIP_455])
def test_topic_znodes_carry_the_configured_version(rules: Rules) -> None:
    book = Ledger(cluster((1, 2, 3)), Settings(rules, topic_znode_version=3))
    book.turn(create())
    assert read_topic(book.tree, "new").version == 3


def test_a_topic_too_large_for_one_commit_is_led_whatever_becomes_of_the_rest() -> None:
    count = OPS_PER_COMMIT // 2 + 100
    book = ledger()
    first, second = book.plan(create(assignment=dict.fromkeys(range(count), (1,))))
    assert first.results == ((1, TopicCreated(count, 1)),)
    assert set(first.follow_ups) == {CheckPartition(TopicPartition("new", n)) for n in range(count)}
    assert len(first.ops) <= OPS_PER_COMMIT
    book.carry_out(first)
    # The second is lost, as after a conflict.
    assert second.ops
    book.settle(*first.follow_ups)
    assert all(part.leader == 1 for part in book.state.topics["new"].partitions.values())


def test_configs_are_refused_after_everything_else() -> None:
    text = "Unknown topic config name: x"
    book = ledger("old")
    event = replace(create(), invalid_config=text)
    assert refused(book, event) == (Fault.INVALID_CONFIG, text)
    assert refused(book, replace(event, validate_only=True)) == (Fault.INVALID_CONFIG, text)
    assert refused(book, replace(event, name="old"))[0] is Fault.TOPIC_ALREADY_EXISTS
    assert refused(book, replace(event, partitions=0))[0] is Fault.INVALID_PARTITIONS
    assert refused(book, replace(event, name="a/b"))[0] is Fault.INVALID_TOPIC_EXCEPTION


# --- racks ------------------------------------------------------------------------------------


def with_racks(*racks: str | None) -> Ledger:
    book = ledger()
    book.state = replace(
        book.state,
        brokers={id_: broker(id_, rack=rack) for id_, rack in enumerate(racks, start=1)},
    )
    return book


@pytest.mark.parametrize("validate_only", [True, False])
def test_nothing_is_placed_where_only_some_brokers_have_a_rack(validate_only: bool) -> None:
    """Kafka raises AdminOperationException, whose code is -1."""
    fault, text = refused(with_racks("a", None, "b", None), create(validate_only=validate_only))
    assert fault is Fault.UNKNOWN_SERVER_ERROR
    assert text.startswith("Not all brokers have rack information for replica rack aware assign")
    assert "on brokers 2, 4 too" in text


@pytest.mark.parametrize("racks", [("a", "b", "c"), (None, None, None), ("", "", "")])
def test_racks_of_all_brokers_or_of_none_are_fine(racks: tuple[str | None, ...]) -> None:
    assert isinstance(with_racks(*racks).ask(create()), TopicCreated)


def test_an_explicit_assignment_needs_no_racks() -> None:
    book = with_racks("a", None, "b")
    assert book.ask(create(assignment={0: (1, 2)})) == TopicCreated(1, 2)
