import json
from typing import Any

import pytest

from klamm.controller.znodes import (
    ConfigEntity,
    ConfigZnode,
    ZnodeError,
    decode_config,
    decode_config_change,
    encode_config,
    parse_entity_path,
)

CHANGE = "/config/changes/config_change_0000000007"


@pytest.mark.parametrize(
    ("entity", "path"),
    [
        (ConfigEntity("topics", "a.b-c_d"), "/config/topics/a.b-c_d"),
        (ConfigEntity("brokers", "3"), "/config/brokers/3"),
        (ConfigEntity("brokers", None), "/config/brokers/<default>"),
        (ConfigEntity("clients", "my app"), "/config/clients/my%20app"),
        (ConfigEntity("users", "CN=a,O=b*~+/ü"), "/config/users/CN%3Da%2CO%3Db%2A%7E%2B%2F%C3%BC"),
        (ConfigEntity("users", "<default>"), "/config/users/%3Cdefault%3E"),
        (ConfigEntity("users", None), "/config/users/<default>"),
        (
            ConfigEntity("users", "a", ConfigEntity("clients", None)),
            "/config/users/a/clients/<default>",
        ),
        (
            ConfigEntity("users", None, ConfigEntity("clients", "b c")),
            "/config/users/<default>/clients/b%20c",
        ),
        (ConfigEntity("ips", "10.0.0.1"), "/config/ips/10.0.0.1"),
    ],
)
def test_each_entity_has_its_path(entity: ConfigEntity, path: str) -> None:
    assert entity.path == path
    assert parse_entity_path(path.removeprefix("/config/")) == entity


def test_a_plus_is_read_as_a_blank_like_javas_decoder_does() -> None:
    assert parse_entity_path("clients/my+app") == ConfigEntity("clients", "my app")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "topics",
        "topics/",
        "/topics/a",
        "changes/a",
        "users/a/clients",
        "users/a/clients/",
        "users/a/ips/b",
        "topics/a/clients/b",
        "users/a/clients/b/c",
    ],
)
def test_other_paths_are_no_entities(text: str) -> None:
    assert parse_entity_path(text) is None
    with pytest.raises(ZnodeError, match="version 2 names no entity"):
        decode_config_change(json.dumps({"version": 2, "entity_path": text}).encode(), CHANGE)


@pytest.mark.parametrize("data", [None, b"", b"{}", b'{"version":1}', b'{"config":null}'])
def test_no_data_are_no_configs(data: bytes | None) -> None:
    assert decode_config(data, "/config/topics/t").config == {}


def test_unknown_keys_survive_a_rewrite() -> None:
    fields = {"note": [1, {"a": None}], "version": 1, "config": {"a": "1", "ü": ""}}
    znode = decode_config(json.dumps(fields).encode(), "/config/topics/t")
    assert znode == ConfigZnode({"a": "1", "ü": ""}, {"note": [1, {"a": None}]})
    assert json.loads(encode_config(znode)) == fields


@pytest.mark.parametrize("config", [{"a": 1}, {"a": None}, ["a"], "a"])
def test_values_are_strings(config: object) -> None:
    with pytest.raises(ZnodeError, match=r"^/config/topics/t: Expected"):
        decode_config(json.dumps({"version": 1, "config": config}).encode(), "/config/topics/t")


def test_version_1_of_a_change_knows_topics_and_clients() -> None:
    data = b'{"version":1,"entity_type":"clients","entity_name":"my%20app"}'
    assert decode_config_change(data, CHANGE) == ConfigEntity("clients", "my app")


@pytest.mark.parametrize(
    "fields",
    [
        {"version": 1, "entity_type": "users", "entity_name": "a"},
        {"version": 1, "entity_type": "topics"},
        {"version": 1, "entity_path": "topics/a"},
        {"version": 2, "entity_type": "topics", "entity_name": "a"},
        {"version": 3, "entity_path": "topics/a"},
    ],
)
def test_other_changes_name_no_entity(fields: dict[str, Any]) -> None:
    with pytest.raises(ZnodeError, match=f"^{CHANGE}: version {fields['version']} names no"):
        decode_config_change(json.dumps(fields).encode(), CHANGE)


@pytest.mark.parametrize("data", [None, b"", b"{}", b'{"version":"2","entity_path":"topics/a"}'])
def test_a_change_that_cannot_be_read_is_an_error(data: bytes | None) -> None:
    with pytest.raises(ZnodeError, match=f"^{CHANGE}: "):
        decode_config_change(data, CHANGE)
