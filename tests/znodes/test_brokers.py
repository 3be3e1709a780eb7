import json
from typing import Any

import pytest

from klamm.controller.znodes import (
    BrokerZnode,
    ControllerZnode,
    Endpoint,
    ZnodeError,
    decode_broker,
    decode_controller,
    decode_controller_epoch,
    encode_broker,
)

PATH = "/brokers/ids/3"
PLAIN = Endpoint("PLAINTEXT", "PLAINTEXT", "h", 9092)


def decode(**fields: object) -> BrokerZnode:
    return decode_broker(json.dumps(fields).encode(), PATH)


def test_version_1_has_host_and_port_alone() -> None:
    znode = decode(version=1, host="h", port=9092, jmx_port=-1, timestamp="12")
    assert znode == BrokerZnode(3, (PLAIN,), version=1, timestamp=12)


@pytest.mark.parametrize(("version", "rack"), [(2, None), (3, "r1")])
def test_versions_2_and_3_name_listeners_after_their_protocol(
    version: int, rack: str | None
) -> None:
    znode = decode(
        version=version,
        host="h",
        port=9092,
        jmx_port=1,
        timestamp="12",
        endpoints=["PLAINTEXT://h:9092", "sasl_ssl://:9093"],
        **({"rack": rack} if rack else {}),
    )
    endpoints = (PLAIN, Endpoint("SASL_SSL", "SASL_SSL", "", 9093))
    assert znode == BrokerZnode(3, endpoints, rack, {}, version, 12, 1)


def test_version_5_has_features() -> None:
    znode = decode(
        version=5,
        endpoints=["IN://h:1"],
        listener_security_protocol_map={"IN": "ssl"},
        features={"x": {"min_version": 1, "max_version": 3}},
    )
    features = {"x": {"min_version": 1, "max_version": 3}}
    assert znode == BrokerZnode(3, (Endpoint("IN", "SSL", "h", 1),), None, features, 5)


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("PLAINTEXT://[::1]:9092", "::1", 9092),
        ("PLAINTEXT://::1:9092", "::1", 9092),
        ("PLAINTEXT://[fe80::b1da%eth0]:1", "fe80::b1da%eth0", 1),
        ("PLAINTEXT://broker-1.example_x.org:65535", "broker-1.example_x.org", 65535),
        ("PLAINTEXT://:0", "", 0),
    ],
)
def test_hosts_of_all_kinds(text: str, host: str, port: int) -> None:
    assert decode(version=2, endpoints=[text]).endpoints == (
        Endpoint("PLAINTEXT", "PLAINTEXT", host, port),
    )


def test_unknown_keys_and_odd_timestamps_hurt_nobody() -> None:
    assert decode(version=4, endpoints=[], timestamp=12, more=1) == BrokerZnode(3, (), version=4)
    assert decode(version=6, endpoints=["SSL://h:1"], timestamp="soon").timestamp is None


def test_features_count_only_from_version_5() -> None:
    znode = decode(version=4, endpoints=[], features={"x": {"min_version": 1, "max_version": 3}})
    assert znode == BrokerZnode(3, (), version=4)


def test_the_first_plaintext_listener_is_what_old_readers_get() -> None:
    inside, outside = Endpoint("IN", "SSL", "a", 1), Endpoint("OUT", "PLAINTEXT", "b", 2)
    fields = json.loads(encode_broker(BrokerZnode(3, (inside, outside))))
    assert (fields["host"], fields["port"]) == ("b", 2)
    fields = json.loads(encode_broker(BrokerZnode(3, (inside,))))
    assert (fields["host"], fields["port"]) == (None, -1)


def test_the_rack_is_absent_when_there_is_none() -> None:
    assert "rack" not in json.loads(encode_broker(BrokerZnode(3, (PLAIN,))))
    assert json.loads(encode_broker(BrokerZnode(3, (PLAIN,), "r1")))["rack"] == "r1"


def test_features_come_with_version_5() -> None:
    assert "features" not in json.loads(encode_broker(BrokerZnode(3, (PLAIN,), version=4)))
    assert json.loads(encode_broker(BrokerZnode(3, (PLAIN,), version=5)))["features"] == {}


@pytest.mark.parametrize("version", [0, 1, 3, 6])
def test_only_versions_4_and_5_are_written(version: int) -> None:
    with pytest.raises(ValueError, match=f"in version 4 or 5, not {version}"):
        encode_broker(BrokerZnode(3, (PLAIN,), version=version))


def test_features_are_not_lost_silently() -> None:
    with pytest.raises(ValueError, match=r"version 4 cannot carry features \{'x': \{\}\}"):
        encode_broker(BrokerZnode(3, (PLAIN,), features={"x": {}}, version=4))


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"endpoints": []}, "missing required field `version`"),
        ({"version": 0}, "version 0 is no broker registration"),
        ({"version": 1, "port": 9092}, "version 1 without host and port"),
        ({"version": 1, "host": "h"}, "version 1 without host and port"),
        ({"version": 2}, "version 2 without endpoints"),
        ({"version": 2, "endpoints": ["h:9092"]}, "'h:9092' is not LISTENER://host:port"),
        ({"version": 2, "endpoints": ["SSL://h:x"]}, "'SSL://h:x' is not LISTENER"),
        ({"version": 2, "endpoints": ["SSL://h ü:1"]}, "is not LISTENER"),
        ({"version": 2, "endpoints": ["SSL://h:\u0661"]}, "is not LISTENER"),
        ({"version": 2, "endpoints": ["SSL://h:65536"]}, "port 65536"),
        ({"version": 2, "endpoints": ["IN://h:1"]}, "no security protocol is known for"),
        (
            {"version": 4, "endpoints": ["IN://h:1"], "listener_security_protocol_map": {}},
            "no security protocol is known for endpoint 'IN://h:1'",
        ),
        (
            {
                "version": 4,
                "endpoints": ["IN://h:1"],
                "listener_security_protocol_map": {"IN": "TLS"},
            },
            "no security protocol is known for endpoint 'IN://h:1'",
        ),
        ({"version": 2, "endpoints": ["SSL://h:1", "ssl://h:2"]}, "two endpoints of one listener"),
        ({"version": 3, "endpoints": [], "rack": 1}, "got `int` - at `$.rack`"),
    ],
)
def test_what_cannot_be_read_is_an_error(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(ZnodeError, match=f"^{PATH}: ") as caught:
        decode(**fields)
    assert said in caught.value.reason


@pytest.mark.parametrize("name", ["x", "-1", "", "2147483648", "\u0661"])
def test_a_path_that_is_no_brokers_is_an_error(name: str) -> None:
    with pytest.raises(ZnodeError, match="its name is not a broker id"):
        decode_broker(b'{"version":4,"endpoints":[]}', f"/brokers/ids/{name}")


@pytest.mark.parametrize("timestamp", [None, 12, "soon", "-1", "1" * 30])
def test_of_the_controller_only_the_id_counts(timestamp: object) -> None:
    data = json.dumps({"brokerid": 7, "timestamp": timestamp}).encode()
    assert decode_controller(data) == ControllerZnode(7, None, None)


@pytest.mark.parametrize("data", [None, b"", b"{}", b'{"brokerid":"1"}', b'{"brokerid":-1}'])
def test_a_controller_without_an_id_is_an_error(data: bytes | None) -> None:
    with pytest.raises(ZnodeError, match=r"^/controller: "):
        decode_controller(data)


@pytest.mark.parametrize("data", [b"0", b"1", b"2147483647"])
def test_an_epoch_is_decimal_text(data: bytes) -> None:
    assert decode_controller_epoch(data) == int(data)


@pytest.mark.parametrize(
    "data", [None, b"", b"-1", b" 1", b"1.0", b"x", b"2147483648", b"9" * 5000, "\u0661".encode()]
)
def test_anything_else_is_no_epoch(data: bytes | None) -> None:
    with pytest.raises(ZnodeError, match=r"^/controller_epoch: "):
        decode_controller_epoch(data)
