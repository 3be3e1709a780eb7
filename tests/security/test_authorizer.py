"""Who may do what, against a naive reading of the rules."""

from collections.abc import Iterable, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from klamm.controller.security.acls import (
    CLUSTER_NAME,
    SUPPORTED_OPERATIONS,
    AccessRule,
    AclBinding,
    AclFilter,
    Operation,
    PatternType,
    Permission,
    ResourcePattern,
    ResourceType,
)
from klamm.controller.security.authorizer import (
    ALLOW_ALL,
    AclAuthorizer,
    operations_bits,
)
from klamm.controller.security.principals import Client, user
from klamm.controller.security.settings import ACL_AUTHORIZER, authorizer_from

TYPES = [each for each in ResourceType if each > ResourceType.ANY]
OPERATIONS = [each for each in Operation if each > Operation.ANY]
NAMES = st.sampled_from(["a", "ab", "abc", "b", "*", "*a", ""])
USERS = st.sampled_from(["alice", "bob", "*"])
HOSTS = st.sampled_from(["10.0.0.1", "10.0.0.2", "*"])

PATTERNS = st.builds(
    ResourcePattern,
    st.sampled_from(TYPES[:2]),
    NAMES.filter(bool),
    st.sampled_from([PatternType.LITERAL, PatternType.PREFIXED]),
)
RULES = st.builds(
    AccessRule,
    USERS.map(lambda name: f"User:{name}"),
    HOSTS,
    st.sampled_from([*OPERATIONS, Operation.UNKNOWN]),
    st.sampled_from([Permission.ALLOW, Permission.DENY]),
)
LISTS = st.dictionaries(PATTERNS, st.frozensets(RULES, min_size=1, max_size=4), max_size=5)
CLIENTS = st.builds(
    Client, USERS.map(user), st.sampled_from(["10.0.0.1", "10.0.0.2"]), st.just("PLAINTEXT")
)
AUTHORIZERS = st.builds(
    AclAuthorizer,
    st.sampled_from([frozenset(), frozenset({"User:bob"})]),
    st.booleans(),
    LISTS,
    st.frozensets(PATTERNS, max_size=1),
)


def rule(
    principal: str, operation: Operation, permission: Permission = Permission.ALLOW, host: str = "*"
) -> AccessRule:
    return AccessRule(f"User:{principal}", host, operation, permission)


def naive(
    authorizer: AclAuthorizer, client: Client, operation: Operation, kind: ResourceType, name: str
) -> bool:
    """The rules one after the other, over every list there is."""
    me = f"User:{client.principal.name}"
    if me in authorizer.super_users:
        return True

    def about(pattern: ResourcePattern) -> bool:
        if pattern.resource_type != kind:
            return False
        if pattern.pattern_type == PatternType.PREFIXED:
            return name[: len(pattern.name)] == pattern.name
        return pattern.name == name or pattern.name == "*"

    if any(map(about, authorizer.unreadable)):
        return False
    of_resource = [
        each for pattern, rules in authorizer.lists.items() if about(pattern) for each in rules
    ]
    if not of_resource:
        return authorizer.allow_if_no_acl
    granted = False
    for each in of_resource:
        mine = each.principal in (me, "User:*") and each.host in (client.host, "*")
        same = each.operation in (operation, Operation.ALL)
        if mine and same and each.permission == Permission.DENY:
            return False
        implied = False
        if operation == Operation.DESCRIBE:
            implied = each.operation.name in ("READ", "WRITE", "DELETE", "ALTER")
        if operation == Operation.DESCRIBE_CONFIGS:
            implied = each.operation.name == "ALTER_CONFIGS"
        if mine and (same or implied) and each.permission == Permission.ALLOW:
            granted = True
    return granted


@given(AUTHORIZERS, CLIENTS, st.sampled_from(OPERATIONS), st.sampled_from(TYPES[:2]), NAMES)
def test_it_decides_as_the_rules_say(
    authorizer: AclAuthorizer, client: Client, operation: Operation, kind: ResourceType, name: str
) -> None:
    expected = naive(authorizer, client, operation, kind, name)
    assert authorizer.allows(client, operation, kind, name) == expected


ALICE = Client(user("alice"), "10.0.0.1", "PLAINTEXT")
TOPIC = ResourcePattern(ResourceType.TOPIC, "orders")


def with_rules(
    *rules: AccessRule, pattern: ResourcePattern = TOPIC, more: Iterable[ResourcePattern] = ()
) -> AclAuthorizer:
    lists: Mapping[ResourcePattern, frozenset[AccessRule]] = {
        each: frozenset(rules) for each in (pattern, *more)
    }
    return AclAuthorizer(lists=lists)


@pytest.mark.parametrize(
    "given_, asked",
    [
        (Operation.READ, Operation.DESCRIBE),
        (Operation.WRITE, Operation.DESCRIBE),
        (Operation.DELETE, Operation.DESCRIBE),
        (Operation.ALTER, Operation.DESCRIBE),
        (Operation.ALTER_CONFIGS, Operation.DESCRIBE_CONFIGS),
        *[(Operation.ALL, operation) for operation in OPERATIONS],
        *[(operation, operation) for operation in OPERATIONS],
    ],
)
def test_what_an_allowed_operation_implies(given_: Operation, asked: Operation) -> None:
    authorizer = with_rules(rule("alice", given_))
    assert authorizer.allows(ALICE, asked, ResourceType.TOPIC, "orders")


def test_nothing_else_is_implied() -> None:
    implied = {
        (given_, asked)
        for given_ in OPERATIONS
        for asked in OPERATIONS
        if with_rules(rule("alice", given_)).allows(ALICE, asked, ResourceType.TOPIC, "orders")
        and given_ not in (asked, Operation.ALL)
    }
    assert len(implied) == 5


def test_a_denial_of_reading_does_not_deny_describing() -> None:
    denied = rule("alice", Operation.READ, Permission.DENY)
    authorizer = with_rules(denied, rule("alice", Operation.WRITE))
    assert not authorizer.allows(ALICE, Operation.READ, ResourceType.TOPIC, "orders")
    assert authorizer.allows(ALICE, Operation.DESCRIBE, ResourceType.TOPIC, "orders")


@given(LISTS, LISTS)
def test_lists_that_change_are_those_given(
    before: dict[ResourcePattern, frozenset[AccessRule]],
    after: dict[ResourcePattern, frozenset[AccessRule]],
) -> None:
    changed = {**dict.fromkeys(before, frozenset[AccessRule]()), **after}
    assert AclAuthorizer(lists=before).updated(changed) == AclAuthorizer(lists=after)


def test_a_list_that_becomes_unreadable_denies_and_may_become_readable() -> None:
    authorizer = with_rules(rule("alice", Operation.ALL)).updated({TOPIC: None})
    assert authorizer.patterns == {TOPIC}
    assert not authorizer.allows(ALICE, Operation.READ, ResourceType.TOPIC, "orders")
    mended = authorizer.updated({TOPIC: frozenset({rule("alice", Operation.READ)})})
    assert mended.allows(ALICE, Operation.READ, ResourceType.TOPIC, "orders")
    assert not mended.unreadable


@given(LISTS, PATTERNS, RULES)
def test_a_filter_finds_the_bindings_that_it_names(
    lists: dict[ResourcePattern, frozenset[AccessRule]], pattern: ResourcePattern, one: AccessRule
) -> None:
    binding = AclBinding(pattern, one)
    authorizer = AclAuthorizer(lists={**lists, pattern: lists.get(pattern, frozenset()) | {one}})
    everything = list(authorizer.bindings(AclFilter()))
    assert binding in everything
    assert len(everything) == sum(map(len, authorizer.lists.values()))
    exact = AclFilter(
        pattern.resource_type, pattern.name, pattern.pattern_type,
        one.principal, one.host, one.operation or Operation.ANY, one.permission,
    )  # fmt: skip
    found = list(authorizer.bindings(exact))
    assert binding in found
    assert {each.pattern for each in found} == {pattern}


@given(LISTS, st.sampled_from(TYPES[:2]), NAMES.filter(lambda name: name not in ("", "*")))
def test_a_filter_that_matches_a_resource_finds_what_counts_for_it(
    lists: dict[ResourcePattern, frozenset[AccessRule]], kind: ResourceType, name: str
) -> None:
    meant = AclFilter(kind, name, PatternType.MATCH)
    found = {binding.pattern for binding in AclAuthorizer(lists=lists).bindings(meant)}
    assert found == {pattern for pattern in lists if pattern.covers(kind, name)}


def test_the_bits_are_those_of_kafkas_codes() -> None:
    cluster, topic = ResourceType.CLUSTER, ResourceType.TOPIC
    # Kafka without an authorizer: READ 3 to DESCRIBE 8 and the configs; CLUSTER_ACTION 9 and so on.
    assert operations_bits(ALLOW_ALL, ALICE, topic, "t") == 0b1101_1111_1000
    assert operations_bits(ALLOW_ALL, ALICE, cluster, CLUSTER_NAME) == 0b1_1111_1010_0000
    authorizer = with_rules(rule("alice", Operation.ALTER))
    bits = operations_bits(authorizer, ALICE, topic, "orders")
    assert bits == (1 << Operation.ALTER) | (1 << Operation.DESCRIBE)
    assert set(SUPPORTED_OPERATIONS) == {topic, cluster}


@pytest.mark.parametrize(
    "host, spelled",
    [
        ("10.0.0.1", "10.0.0.1"),
        ("::1", "0:0:0:0:0:0:0:1"),
        ("2001:db8::a0", "2001:db8:0:0:0:0:0:a0"),
        ("2001:db8::a0", "2001:db8::a0"),
        ("::ffff:10.0.0.1", "10.0.0.1"),
        ("", "*"),
    ],
)
def test_an_address_is_named_as_java_prints_it(host: str, spelled: str) -> None:
    authorizer = with_rules(rule("alice", Operation.READ, host=spelled))
    for client_host, expected in ((host, True), ("10.9.9.9", spelled == "*")):
        client = Client(user("alice"), client_host, "PLAINTEXT")
        found = authorizer.allows(client, Operation.READ, ResourceType.TOPIC, "orders")
        assert found == expected


def test_codes_without_a_name_are_unknown() -> None:
    assert ResourceType(99) is ResourceType.UNKNOWN
    assert Operation(-1) is Operation.UNKNOWN
    assert AclFilter(ResourceType(99)).unknown


# --- properties --------------------------------------------------------------------------------


def test_without_the_class_everybody_may_everything() -> None:
    assert authorizer_from({"super.users": "User:a"}) is None


def test_properties_make_an_authorizer_without_lists() -> None:
    properties = {
        "authorizer.class.name": f" {ACL_AUTHORIZER} ",
        "super.users": "User:a ; User:CN=b,O=c;",
        "allow.everyone.if.no.acl.found": "TRUE",
    }
    expected = AclAuthorizer(frozenset({"User:a", "User:CN=b,O=c"}), allow_if_no_acl=True)
    assert authorizer_from(properties) == expected
    assert authorizer_from({"authorizer.class.name": ACL_AUTHORIZER}) == AclAuthorizer()


@pytest.mark.parametrize(
    "key, value, way_out",
    [
        (
            "authorizer.class.name",
            "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            "name that one, or leave the key out",
        ),
        ("super.users", "alice", "write User:NAME"),
        ("super.users", "User:", "write User:NAME"),
        ("allow.everyone.if.no.acl.found", "yes", "true or false is needed"),
    ],
)
def test_what_is_no_such_property_is_refused_with_the_way_out(
    key: str, value: str, way_out: str
) -> None:
    properties = {"authorizer.class.name": ACL_AUTHORIZER, key: value}
    with pytest.raises(ValueError, match=way_out) as refused:
        authorizer_from(properties)
    assert key in str(refused.value)
    assert value in str(refused.value)
