import json

import pytest

from klamm.controller.znodes import (
    ACL_PATHS,
    RESOURCE_TYPES,
    Acl,
    AclZnode,
    ResourcePattern,
    ZnodeError,
    decode_acl_change,
    decode_acls,
    encode_acl_change,
    encode_acls,
)

LITERAL = "/kafka-acl-changes/acl_changes_0000000007"
EXTENDED = "/kafka-acl-extended-changes/acl_changes_0000000007"


def test_a_pattern_has_the_path_of_its_list_and_of_its_notices() -> None:
    literal, prefixed = (
        ResourcePattern("TRANSACTIONAL_ID", "a"),
        ResourcePattern("TOPIC", "a", "PREFIXED"),
    )
    assert literal.path == "/kafka-acl/TransactionalId/a"
    assert literal.change_prefix + "0000000007" == LITERAL
    assert prefixed.path == "/kafka-acl-extended/prefixed/Topic/a"
    assert prefixed.change_prefix + "0000000007" == EXTENDED


def test_the_parents_of_every_list_are_named_parents_first() -> None:
    assert len(set(ACL_PATHS)) == len(ACL_PATHS)
    made = {""}
    for path in ACL_PATHS:
        assert path.rpartition("/")[0] in made
        made.add(path)
    for resource_type in RESOURCE_TYPES:
        for pattern in (
            ResourcePattern(resource_type, "a"),
            ResourcePattern(resource_type, "a", "PREFIXED"),
        ):
            assert pattern.path.rpartition("/")[0] in made
            assert pattern.change_prefix.rpartition("/")[0] in made


@pytest.mark.parametrize("data", [None, b""])
def test_no_data_are_no_rules(data: bytes | None) -> None:
    assert decode_acls(data, "/kafka-acl/Topic/a") == AclZnode()


def test_unknown_keys_of_a_list_survive_a_rewrite() -> None:
    rule = {"principal": "User:a", "permissionType": "Deny", "operation": "All", "host": "*"}
    fields = {"note": 1, "version": 1, "acls": [rule]}
    znode = decode_acls(json.dumps(fields).encode(), "/kafka-acl/Topic/a")
    assert znode == AclZnode((Acl("User:a", "Deny", "All", "*"),), {"note": 1})
    assert json.loads(encode_acls(znode)) == fields


@pytest.mark.parametrize("data", [b"{}", b'{"acls":[{}]}', b'{"acls":null}', b"x"])
def test_a_list_that_cannot_be_read_is_an_error(data: bytes) -> None:
    with pytest.raises(ZnodeError, match=r"^/kafka-acl/Topic/a: "):
        decode_acls(data, "/kafka-acl/Topic/a")


def test_both_spellings_of_a_type_are_read_in_a_notice() -> None:
    pattern = ResourcePattern("TRANSACTIONAL_ID", "a:b")
    assert decode_acl_change(b"TransactionalId:a:b", LITERAL) == pattern
    assert decode_acl_change(b"TRANSACTIONAL_ID:a:b", LITERAL) == pattern


@pytest.mark.parametrize("resource_type", RESOURCE_TYPES)
def test_each_type_is_written_as_it_is_read(resource_type: str) -> None:
    literal = ResourcePattern(resource_type, "a")
    prefixed = ResourcePattern(resource_type, "a", "PREFIXED")
    assert decode_acl_change(encode_acl_change(literal), LITERAL) == literal
    assert decode_acl_change(encode_acl_change(prefixed), EXTENDED) == prefixed


@pytest.mark.parametrize("data", [None, b"", b"TOPIC", b"Thing:a", b"TOPIC:\xff"])
def test_a_notice_that_cannot_be_read_is_an_error(data: bytes | None) -> None:
    with pytest.raises(ZnodeError, match=f"^{LITERAL}: "):
        decode_acl_change(data, LITERAL)


@pytest.mark.parametrize(
    "data",
    [
        None,
        b"TOPIC:a",
        b"{}",
        b'{"resourceType":"THING","name":"a","patternType":"PREFIXED"}',
        b'{"resourceType":"TOPIC","name":"a","patternType":"SUFFIXED"}',
    ],
)
def test_an_extended_notice_that_cannot_be_read_is_an_error(data: bytes | None) -> None:
    with pytest.raises(ZnodeError, match=f"^{EXTENDED}: "):
        decode_acl_change(data, EXTENDED)
