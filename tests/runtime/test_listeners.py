"""Kafka's listeners, what others are told of them, and which one is between brokers."""

import re

import pytest

from klamm.controller.runtime.listeners import Listener, read_listeners

ALL = {"listener.security.protocol.map": "IN:SSL, OUT:SASL_SSL,NEAR:PLAINTEXT"}

ONE: list[tuple[dict[str, str], Listener]] = [
    ({}, Listener(host="", port=9092)),
    ({"listeners": "PLAINTEXT://:9093"}, Listener(host="", port=9093)),
    ({"listeners": " plaintext://h:1 "}, Listener(host="h", port=1)),
    ({"listeners": "PLAINTEXT://[::1]:1,"}, Listener(host="::1", port=1)),
    ({"listeners": "SASL_SSL://h:1"}, Listener("SASL_SSL", "SASL_SSL", "h", 1)),
    (
        {
            "listeners": "PLAINTEXT://0.0.0.0:9092",
            "advertised.listeners": "PLAINTEXT://klamm.example:19092",
        },
        Listener("PLAINTEXT", "PLAINTEXT", "0.0.0.0", 9092, "klamm.example", 19092),
    ),
    (
        {"listeners": "NEAR://h:1", **ALL, "inter.broker.listener.name": "near"},
        Listener("NEAR", "PLAINTEXT", "h", 1),
    ),
]


@pytest.mark.parametrize(("properties", "wanted"), ONE)
def test_one_listener(properties: dict[str, str], wanted: Listener) -> None:
    assert read_listeners(properties) == ((wanted,), wanted.name)


def test_several_listeners() -> None:
    found, between = read_listeners(
        {
            "listeners": "IN://10.0.0.1:1,OUT://:2,NEAR://localhost:3",
            "advertised.listeners": "OUT://klamm.example:12,IN://:11",
            "inter.broker.listener.name": "IN",
            **ALL,
        }
    )
    assert found == (
        Listener("IN", "SSL", "10.0.0.1", 1, None, 11),
        Listener("OUT", "SASL_SSL", "", 2, "klamm.example", 12),
        Listener("NEAR", "PLAINTEXT", "localhost", 3, advertised=False),
    )
    assert between == "IN"
    assert [(each.uses_tls, each.uses_sasl) for each in found] == [
        (True, False),
        (True, True),
        (False, False),
    ]
    assert found[1].prefix == "listener.name.out."


@pytest.mark.parametrize(
    ("more", "wanted"),
    [
        ({}, "PLAINTEXT"),
        ({"security.inter.broker.protocol": "ssl"}, "SSL"),
        ({"inter.broker.listener.name": "SSL"}, "SSL"),
    ],
)
def test_the_listener_between_brokers(more: dict[str, str], wanted: str) -> None:
    both = {"listeners": "PLAINTEXT://h:1,SSL://h:2"}
    assert read_listeners({**both, **more})[1] == wanted


@pytest.mark.parametrize(
    ("properties", "complaint"),
    [
        ({"listeners": ""}, "NAME://HOST:PORT is needed"),
        ({"listeners": "a:1"}, "NAME://HOST:PORT is needed"),
        ({"listeners": "PLAINTEXT://a:65536"}, "NAME://HOST:PORT is needed"),
        ({"listeners": "PLAINTEXT://a:1,plaintext://b:2"}, "PLAINTEXT is named 2 times"),
        ({"listeners": "PLAINTEXT://a:1,SSL://a:1"}, "want the same port 1"),
        ({"listeners": "PLAINTEXT://0.0.0.0:1"}, "nobody can connect to 0.0.0.0"),
        ({"listeners": "INTERNAL://a:1"}, "listener.security.protocol.map=INTERNAL:PLAINTEXT"),
        ({"listeners": "SSL://a:1", **ALL}, "no protocol for SSL"),
        (
            {"listeners": "A://a:1", "listener.security.protocol.map": "A:TLS"},
            "'A:TLS' is not LISTENER:PROTOCOL with one of PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL",
        ),
        ({"inter.broker.listener.name": "INTERNAL"}, "no such listener, but PLAINTEXT"),
        ({"listeners": "IN://a:1,OUT://a:2", **ALL}, "security.inter.broker.protocol='PLAINTEXT'"),
        (
            {"inter.broker.listener.name": "X", "security.inter.broker.protocol": "SSL"},
            "are both set; leave one of them out",
        ),
        ({"advertised.listeners": "SSL://a:1"}, "there is no listener SSL, but PLAINTEXT"),
        ({"advertised.listeners": "PLAINTEXT://0.0.0.0:1"}, "nobody can connect to 0.0.0.0"),
        (
            {
                "listeners": "PLAINTEXT://a:1,SSL://a:2",
                "advertised.listeners": "SSL://a:2",
            },
            "brokers connect to PLAINTEXT, which is not among them",
        ),
    ],
)
def test_listeners_that_cannot_be(properties: dict[str, str], complaint: str) -> None:
    with pytest.raises(ValueError, match=re.escape(complaint)):
        read_listeners(properties)
