"""Names of users from certificates, as Kafka and Java make them."""

from contextlib import suppress

import pytest
from cryptography import x509
from cryptography.x509.oid import NameOID
from hypothesis import given
from hypothesis import strategies as st

from klamm.controller.security.mapping import (
    MappingError,
    PrincipalMapper,
    parse_rules,
    subject_text,
)

SUBJECT = "CN=Duke,OU=ServiceUsers,O=Org,C=US"


@pytest.mark.parametrize(
    ("rules", "subject", "name"),
    [
        # The rules of Kafka's documentation, and of its SslPrincipalMapperTest.
        ("", SUBJECT, SUBJECT),
        ("DEFAULT", SUBJECT, SUBJECT),
        (r"RULE:^CN=(.*?),OU=ServiceUsers.*$/$1/", SUBJECT, "Duke"),
        (r"RULE:^CN=(.*?),OU=ServiceUsers.*$/$1/L", SUBJECT, "duke"),
        (r"RULE:^CN=(.*?),OU=ServiceUsers.*$/$1/U,DEFAULT", SUBJECT, "DUKE"),
        (
            r"RULE:^CN=(.*?),OU=(.*?),O=(.*?),C=(.*?)$/$1@$2/L, DEFAULT",
            SUBJECT,
            "duke@serviceusers",
        ),
        (r"RULE:^.*[Cc][Nn]=([a-zA-Z0-9.]*).*$/$1/L", SUBJECT, "duke"),
        (r"RULE:^cn=(.*?),ou=x$/$1/,DEFAULT", SUBJECT, SUBJECT),
        # As Java's `matches` has it, a rule is for whole subjects: ours is not somebody's in part.
        ("RULE:CN=Duke/admin/,DEFAULT", SUBJECT, SUBJECT),
        ("RULE:^CN=(.*?),OU=ServiceUsers/$1/,DEFAULT", SUBJECT, SUBJECT),
        ("RULE:^CN=(.*?),OU=Service/$1/,RULE:^CN=(.*?),.*$/$1/L", SUBJECT, "duke"),
        (r"RULE:^CN=([^\/]*)\/(.*)$/$1\/$2\$/", "CN=a/b", "a/b$"),
    ],
)
def test_rules(rules: str, subject: str, name: str) -> None:
    assert parse_rules(rules).name(subject) == name


@pytest.mark.parametrize(
    ("rules", "why"),
    [
        ("default", "'default' begins no rule"),
        ("DEFAULT/L", "begins no rule"),
        ("RULE:^CN=(.*)$/$1", "begins no rule"),
        ("RULE:(/$1/", "is no regular expression"),
        ("RULE:^CN=.*$/$1/", "names group 1"),
        ("DEFAULT,RULE:x", "'RULE:x' begins no rule"),
    ],
)
def test_rules_that_are_none(rules: str, why: str) -> None:
    with pytest.raises(MappingError) as refused:
        parse_rules(rules)
    assert why in str(refused.value)


def test_a_subject_that_no_rule_fits() -> None:
    with pytest.raises(MappingError, match="fits 'CN=x'"):
        parse_rules("RULE:^OU=(.*)$/$1/").name("CN=x")


def named(*attributes: tuple[x509.ObjectIdentifier, str]) -> bytes:
    return x509.Name([x509.NameAttribute(*each) for each in attributes]).public_bytes()


def test_subjects_are_written_as_java_writes_them() -> None:
    # X500Principal.getName(): the last attribute first, and those without a short name by number.
    assert (
        subject_text(
            named(
                (NameOID.COUNTRY_NAME, "US"),
                (NameOID.ORGANIZATION_NAME, 'Org, "Inc" #1'),
                (NameOID.ORGANIZATIONAL_UNIT_NAME, " Users "),
                (NameOID.EMAIL_ADDRESS, "d@x"),
                (NameOID.COMMON_NAME, "#Dükë"),
            )
        )
        == r"CN=\#Dükë,1.2.840.113549.1.9.1=#1603644078,OU=\ Users\ ,O=Org\, \"Inc\" #1,C=US"
    )


def test_a_relative_name_of_several_attributes() -> None:
    together = x509.RelativeDistinguishedName(
        [
            x509.NameAttribute(NameOID.COMMON_NAME, "a"),
            x509.NameAttribute(NameOID.USER_ID, "7"),
        ]
    )
    assert sorted(subject_text(x509.Name([together]).public_bytes()).split("+")) == [
        "CN=a",
        "UID=7",
    ]


def test_no_subject_at_all() -> None:
    assert subject_text(x509.Name([]).public_bytes()) == ""


@given(st.binary())
def test_any_bytes_are_a_subject_or_an_error(data: bytes) -> None:
    with suppress(MappingError):
        PrincipalMapper().name(subject_text(data))
