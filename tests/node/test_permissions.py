"""A node's access control lists: those of ZooKeeper, whoever writes them and whatever fails."""

import json
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from node_world import ENDPOINT, World

from klamm.controller.core.ops import ANY_VERSION, Create, Delete, SetData
from klamm.controller.core.results import Refusal
from klamm.controller.node import NodeConfig
from klamm.controller.node.effects import Journal, ReadZnodes, SetTimer
from klamm.controller.node.inputs import Timer
from klamm.controller.node.permissions import PERMISSIONS_TIMER, Permissions
from klamm.controller.security.acls import (
    AccessRule,
    AclBinding,
    AclFilter,
    Operation,
    PatternType,
    Permission,
    ResourcePattern,
    ResourceType,
)
from klamm.controller.security.authorizer import AclAuthorizer
from klamm.controller.security.stored import (
    AclsChanged,
    ChangeAcls,
    read_rule,
    stored_pattern,
    stored_rule,
)
from klamm.controller.store.port import Missing, ReadDone, Refused, WatchDone
from klamm.controller.znodes import ACL_PATHS, Acl

ORDERS = ResourcePattern(ResourceType.TOPIC, "orders")
PREFIX = ResourcePattern(ResourceType.GROUP, "g-", PatternType.PREFIXED)
READ = AccessRule("User:alice", "*", Operation.READ, Permission.ALLOW)
WRITE = AccessRule("User:bob", "10.0.0.1", Operation.DESCRIBE_CONFIGS, Permission.DENY)
#: As kafka.zk.ResourceZNode of Kafka 3.9 writes the two.
READ_JSON = b'{"principal":"User:alice","permissionType":"Allow","operation":"Read","host":"*"}'
WRITE_JSON = (
    b'{"principal":"User:bob","permissionType":"Deny","operation":"DescribeConfigs",'
    b'"host":"10.0.0.1"}'
)


def znode(*rules: bytes) -> bytes:
    return b'{"version":1,"acls":[' + b",".join(rules) + b"]}"


def world(authorizer: AclAuthorizer | None = None) -> World:
    """A node that is about to connect to a ZooKeeper in which authorizers have been before."""
    found = World(NodeConfig(900, (ENDPOINT,), authorizer=authorizer or AclAuthorizer()))
    found.write(*(Create(path, None) for path in ACL_PATHS))
    return found


def lists(of: World) -> dict[ResourcePattern, frozenset[AccessRule]]:
    authorizer = of.node.authorizer
    assert isinstance(authorizer, AclAuthorizer)
    return dict(authorizer.lists)


def permissions(of: World) -> Permissions:
    assert of.node.permissions is not None
    return of.node.permissions


# --- reading -----------------------------------------------------------------------------------


def test_the_lists_are_read_when_a_session_begins_and_followed_from_then_on() -> None:
    node = world()
    node.write(Create("/kafka-acl/Topic/orders", znode(READ_JSON)))
    node.settle()
    assert node.node.active, "in office as out of it"
    assert lists(node) == {ORDERS: {READ}}
    node.write(Create("/kafka-acl-extended/prefixed/Group/g-", znode(WRITE_JSON)))
    node.settle()
    assert lists(node) == {ORDERS: {READ}, PREFIX: {WRITE}}
    node.write(SetData("/kafka-acl/Topic/orders", znode(READ_JSON, WRITE_JSON), ANY_VERSION))
    node.write(Delete("/kafka-acl-extended/prefixed/Group/g-", ANY_VERSION))
    node.settle()
    assert lists(node) == {ORDERS: {READ, WRITE}}


def test_what_changed_while_the_connection_was_lost_is_read_after_it() -> None:
    node = world()
    node.write(Create("/kafka-acl/Topic/orders", znode(READ_JSON)))
    node.settle()
    node.zookeeper.cut(node.store)
    node.write(Delete("/kafka-acl/Topic/orders", ANY_VERSION))
    node.write(Create("/kafka-acl/Topic/new", znode(WRITE_JSON)))
    node.settle()
    assert lists(node) == {ORDERS: {READ}}, "what was read counts on"
    node.give(Timer(PERMISSIONS_TIMER))
    node.zookeeper.heal(node.store)
    node.settle()
    assert lists(node) == {ResourcePattern(ResourceType.TOPIC, "new"): {WRITE}}


def test_a_list_that_cannot_be_read_denies_and_is_read_again() -> None:
    node = world()
    node.write(Create("/kafka-acl/Topic/orders", b"{"))
    node.settle()
    authorizer = node.node.authorizer
    assert isinstance(authorizer, AclAuthorizer)
    assert authorizer.unreadable == {ORDERS}
    [told] = [entry for entry in node.journal if entry.kind == "unreadable"]
    assert "/kafka-acl/Topic/orders" in told.text
    node.run_timer(PERMISSIONS_TIMER)
    node.settle()
    assert len([entry for entry in node.journal if entry.kind == "unreadable"]) == 1, "once"
    node.write(SetData("/kafka-acl/Topic/orders", znode(READ_JSON), ANY_VERSION))
    node.settle()
    assert lists(node) == {ORDERS: {READ}}
    mended = node.node.authorizer
    assert isinstance(mended, AclAuthorizer)
    assert not mended.unreadable


def test_what_zookeeper_refuses_is_told_and_asked_for_again() -> None:
    kept = AclAuthorizer(lists={ORDERS: frozenset({READ})})
    alone = Permissions(kept)
    effects = list(alone.connected())
    session = 1
    refused = list(alone.answered(ReadDone(session, alone.last, Refused("no rights"))))
    assert alone.authorizer == kept, "nobody knows better"
    assert any(isinstance(each, Journal) and "no rights" in each.text for each in refused)
    assert any(isinstance(each, SetTimer) for each in refused)
    unwatched = list(alone.armed(WatchDone(session, 1, Refused("no watches"))))
    assert [type(each) for each in unwatched] == [Journal, SetTimer]
    [again] = alone.again()
    assert again != effects[1], "under another number"
    assert isinstance(again, ReadZnodes)
    nothing = tuple(Missing(read.path) for read in again.reads)
    read = list(alone.answered(ReadDone(session, again.request, nothing)))
    assert alone.authorizer == AclAuthorizer()
    assert [type(each) for each in read] == [SetTimer], "for changes are not heard of"


def test_a_node_that_allows_everything_looks_at_no_lists() -> None:
    node = World()
    node.write(*(Create(path, None) for path in ACL_PATHS))
    node.settle()
    assert node.node.permissions is None
    node.write(Create("/kafka-acl/Topic/orders", znode(READ_JSON)))
    node.settle()
    assert not any("kafka-acl" in str(effect) for effect in node.effects)


def test_unknown_words_match_nothing_and_are_kept() -> None:
    strange = b'{"principal":"User:x","permissionType":"Perhaps","operation":"Fly","host":"*"}'
    node = world()
    node.write(Create("/kafka-acl/Topic/orders", znode(strange)))
    node.settle()
    [known] = lists(node)[ORDERS]
    assert (known.operation, known.permission) == (Operation.UNKNOWN, Permission.UNKNOWN)
    node.transact(ChangeAcls(ORDERS, (READ,)))
    node.settle()
    data = node.zookeeper.tree.nodes["/kafka-acl/Topic/orders"].data
    assert data == znode(strange, READ_JSON)


# --- writing -----------------------------------------------------------------------------------


def test_a_change_is_a_conditional_write_with_its_notice_in_kafkas_words() -> None:
    node = world()
    node.settle()
    request = node.transact(ChangeAcls(ORDERS, (READ, READ)), ChangeAcls(PREFIX, (WRITE,)))
    node.settle()
    tree = node.zookeeper.tree.nodes
    assert tree["/kafka-acl/Topic/orders"].data == znode(READ_JSON)
    assert tree["/kafka-acl-extended/prefixed/Group/g-"].data == znode(WRITE_JSON)
    assert tree["/kafka-acl-changes/acl_changes_0000000000"].data == b"TOPIC:orders"
    extended = tree["/kafka-acl-extended-changes/acl_changes_0000000000"].data
    assert extended == (
        b'{"version":1,"resourceType":"GROUP","name":"g-","patternType":"PREFIXED"}'
    )
    [results] = node.transacted[request]
    assert results == (
        AclsChanged(ORDERS, frozenset({READ})),
        AclsChanged(PREFIX, frozenset({WRITE})),
    )
    told = [entry.text for entry in node.journal if entry.kind == "acls-altered"]
    assert told == [
        "LITERAL TOPIC:orders: 1 added, 0 removed",
        "PREFIXED GROUP:g-: 1 added, 0 removed",
    ]


def test_the_last_rule_that_goes_takes_the_list_with_it() -> None:
    node = world()
    node.write(Create("/kafka-acl/Topic/orders", znode(READ_JSON, WRITE_JSON)))
    node.settle()
    of_alice = AclFilter(principal="User:alice")
    first = node.transact(ChangeAcls(ORDERS, removals=((3, of_alice), (4, AclFilter()))))
    node.settle()
    [(changed,)] = node.transacted[first]
    assert changed.removed == {AclBinding(ORDERS, READ): 3, AclBinding(ORDERS, WRITE): 4}
    assert not node.exists("/kafka-acl/Topic/orders")
    assert node.exists("/kafka-acl-changes/acl_changes_0000000000")
    assert lists(node) == {}


def test_what_changes_nothing_writes_nothing() -> None:
    node = world()
    node.write(Create("/kafka-acl/Topic/orders", znode(READ_JSON)))
    node.settle()
    node.transact(
        ChangeAcls(ORDERS, (READ,)),
        ChangeAcls(ORDERS, removals=((0, AclFilter(principal="User:nobody")),)),
        ChangeAcls(PREFIX, removals=((0, AclFilter()),)),
    )
    node.settle()
    assert node.zookeeper.tree.nodes["/kafka-acl/Topic/orders"].version == 0
    assert not node.exists("/kafka-acl-changes/acl_changes_0000000000")


def test_the_nodes_own_writes_count_before_they_are_answered() -> None:
    node = world()
    node.settle()
    request = node.transact(ChangeAcls(ORDERS, (READ,)))
    while request not in node.transacted:
        node.step()
        if request in node.transacted:
            assert lists(node) == {ORDERS: {READ}}
    node.settle()
    assert lists(node) == {ORDERS: {READ}}


def test_a_list_that_cannot_be_read_is_left_alone() -> None:
    node = world()
    node.write(Create("/kafka-acl/Topic/orders", b"{"))
    node.settle()
    request = node.transact(ChangeAcls(ORDERS, (READ,)))
    node.settle()
    [(refused,)] = node.transacted[request]
    assert isinstance(refused, Refusal)
    assert "/kafka-acl/Topic/orders" in refused.message
    assert node.zookeeper.tree.nodes["/kafka-acl/Topic/orders"].data == b"{"


def test_unknown_keys_of_a_list_are_kept() -> None:
    node = world()
    data = json.dumps({"note": 7, **json.loads(znode(READ_JSON))}).encode()
    node.write(Create("/kafka-acl/Topic/orders", data))
    node.settle()
    node.transact(ChangeAcls(ORDERS, (WRITE,)))
    node.settle()
    assert node.data("/kafka-acl/Topic/orders")["note"] == 7


@pytest.mark.parametrize("operation", [each for each in Operation if each > Operation.ANY])
@pytest.mark.parametrize("permission", [Permission.ALLOW, Permission.DENY])
def test_a_rule_is_read_as_it_is_written(operation: Operation, permission: Permission) -> None:
    rule = AccessRule("User:a", "*", operation, permission)
    assert read_rule(stored_rule(rule)) == rule


def test_operations_are_spelled_as_kafka_spells_them() -> None:
    spelled = [
        stored_rule(AccessRule("User:a", "*", operation, Permission.ALLOW)).operation
        for operation in Operation
        if operation > Operation.ANY
    ]
    assert spelled == [
        "All", "Read", "Write", "Create", "Delete", "Alter", "Describe", "ClusterAction",
        "DescribeConfigs", "AlterConfigs", "IdempotentWrite", "CreateTokens", "DescribeTokens",
    ]  # fmt: skip
    assert stored_rule(READ) == Acl("User:alice", "Allow", "Read", "*")


# --- anything ----------------------------------------------------------------------------------

PATTERNS = [ORDERS, PREFIX, ResourcePattern(ResourceType.TOPIC, "*")]
STEPS = st.one_of(
    st.tuples(st.just("own"), st.sampled_from(PATTERNS), st.sampled_from([READ, WRITE])),
    st.tuples(st.just("own removal"), st.sampled_from(PATTERNS), st.sampled_from([READ, WRITE])),
    st.tuples(st.just("others"), st.sampled_from(PATTERNS), st.sampled_from([READ, WRITE])),
    st.tuples(st.just("others delete"), st.sampled_from(PATTERNS), st.just(READ)),
    st.tuples(st.sampled_from(["step", "cut", "heal"]), st.just(ORDERS), st.just(READ)),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(STEPS, max_size=15))
def test_at_rest_a_node_knows_what_zookeeper_holds(
    steps: Sequence[tuple[str, ResourcePattern, AccessRule]],
) -> None:
    node = world()
    node.settle()
    for what, pattern, rule in steps:
        path = stored_pattern(pattern).path
        match what:
            case "own":
                node.transact(ChangeAcls(pattern, (rule,)))
            case "own removal":
                meant = AclFilter(principal=rule.principal)
                node.transact(ChangeAcls(pattern, removals=((0, meant),)))
            case "others" if node.exists(path):
                node.write(SetData(path, znode(READ_JSON, WRITE_JSON), ANY_VERSION))
            case "others":
                node.write(Create(path, znode(READ_JSON)))
            case "others delete" if node.exists(path):
                node.write(Delete(path, ANY_VERSION))
            case "cut":
                node.zookeeper.cut(node.store)
            case "heal":
                node.zookeeper.heal(node.store)
            case _:
                node.step()
    node.zookeeper.heal(node.store)
    node.settle()
    expected = {}
    for pattern in PATTERNS:
        path = stored_pattern(pattern).path
        if node.exists(path):
            stored = json.loads(node.zookeeper.tree.nodes[path].data or b"{}")
            expected[pattern] = {
                READ if each["principal"] == READ.principal else WRITE for each in stored["acls"]
            }
    assert lists(node) == expected
