"""What users log in with: PLAIN, JAAS texts, and the mechanism that properties ask for."""

import re
from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from klamm.controller.security.errors import AuthenticationError
from klamm.controller.security.jaas import JaasError, login_modules
from klamm.controller.security.plain import PlainClient, PlainServer, users_of
from klamm.controller.security.principals import user
from klamm.controller.security.sasl import (
    Login,
    MechanismError,
    client_login,
    client_mechanism,
    login_of,
)

USERS = {"alice": "wonder,land", "bob": "büilder"}
JAAS = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="alice" '


@pytest.mark.parametrize("name", USERS)
def test_plain_lets_in_who_knows_the_password(name: str) -> None:
    client, server = PlainClient(name, USERS[name]), PlainServer(USERS)
    assert client.step(server.step(client.step(b""))) == b""
    assert client.done
    assert server.done
    assert server.principal == user(name)


@pytest.mark.parametrize(
    ("message", "why"),
    [
        (b"\0alice\0wrong", "user 'alice' is unknown or has another password"),
        (b"\0nobody\0wonder,land", "user 'nobody' is unknown or has another password"),
        (b"bob\0alice\0wonder,land", "user 'alice' wants to be 'bob'"),
        (b"\0alice\0", "no user, or no password"),
        (b"\0\0x", "no user, or no password"),
        (b"alice\0wonder,land", "2 parts where 3 are needed"),
        (b"", "1 parts where 3 are needed"),
        (b"\0alice\0\xff", "not UTF-8"),
    ],
)
def test_plain_refuses(message: bytes, why: str) -> None:
    server = PlainServer(USERS)
    with pytest.raises(AuthenticationError, match=why):
        server.step(message)
    assert not server.done


def test_plain_takes_one_s_own_name_as_authorization() -> None:
    server = PlainServer(USERS)
    server.step(b"alice\0alice\0wonder,land")
    assert server.principal == user("alice")


def test_a_login_module_with_all_that_java_allows() -> None:
    text = r"""
        // users of the lab
        a.b.PlainLoginModule required
            username="al\"ice\\" password='it\'s' /* both
            kinds of quotes */ plain=word/with/slashes user_x="1;=2";
        c.Other Optional;
    """
    first, second = login_modules(text)
    assert first.name == "a.b.PlainLoginModule"
    assert first.options == {
        "username": 'al"ice\\',
        "password": "it's",
        "plain": "word/with/slashes",
        "user_x": "1;=2",
    }
    assert (second.name, second.options) == ("c.Other", {})
    assert users_of(first.options) == {"x": "1;=2"}
    assert "1;=2" not in repr(first), "what may be a password is not shown"


@example(";")
@example("=")
@given(st.text(st.characters(exclude_characters="\0\r\n", codec="utf-8")))
def test_any_value_can_be_quoted(value: str) -> None:
    quoted = value.replace("\\", "\\\\").replace('"', '\\"')
    [module] = login_modules(f'a.B required password="{quoted}";')
    assert module.options == {"password": value}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it names no login module"),
        ("a.B", "after a.B one of optional, required, requisite, sufficient is needed"),
        ("a.B maybe x=1;", "after a.B one of"),
        ("a.B required x=1", "do not end with a semicolon"),
        ("a.B required x;", "the option x of a.B is not NAME=VALUE"),
        ("a.B required x=;", "the option x of a.B is not NAME=VALUE"),
        ("a.B required ==1;", "the option = of a.B is not NAME=VALUE"),
        ("; required;", "after ; one of"),
        ('a.B required x="secret', "character 15 begins neither a word nor a string"),
    ],
)
def test_texts_that_are_no_jaas(text: str, why: str) -> None:
    with pytest.raises(JaasError, match=why) as refused:
        login_modules(text)
    assert "secret" not in str(refused.value)


@given(st.text())
def test_any_text_is_jaas_or_an_error(text: str) -> None:
    with suppress(JaasError):
        assert login_modules(text)


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"])
def test_properties_ask_for_a_mechanism(mechanism: str) -> None:
    properties = {
        "sasl.mechanism": mechanism,
        "sasl.jaas.config": JAAS + 'password="wonder,land";',
    }
    assert client_login(properties) == Login(mechanism, "alice", "wonder,land")
    assert "wonder" not in repr(client_login(properties))
    found = client_mechanism(properties, "nonce")
    assert found.name == mechanism
    assert b"alice" in found.step(b"")


@pytest.mark.parametrize(
    ("properties", "why"),
    [
        ({}, "sasl.mechanism='GSSAPI': klamm speaks PLAIN, SCRAM-SHA-256, SCRAM-SHA-512"),
        ({"sasl.mechanism": "OAUTHBEARER"}, "sasl.mechanism='OAUTHBEARER'"),
        ({"sasl.mechanism": "PLAIN"}, "sasl.jaas.config is missing: PLAIN needs a user"),
        ({"sasl.mechanism": "PLAIN", "sasl.jaas.config": "x"}, "sasl.jaas.config: after x one of"),
        ({"sasl.mechanism": "PLAIN", "sasl.jaas.config": JAAS + ";"}, "has no password"),
        ({"sasl.mechanism": "PLAIN", "sasl.jaas.config": "a required; b required;"}, "one login"),
    ],
)
def test_properties_that_ask_for_too_much_or_say_too_little(
    properties: dict[str, str], why: str
) -> None:
    with pytest.raises(MechanismError, match=re.escape(why)):
        client_login(properties)


def test_a_module_without_options_is_named() -> None:
    with pytest.raises(MechanismError, match=r"key: a\.B has no username and no password"):
        login_of("PLAIN", "a.B required;", "key")
