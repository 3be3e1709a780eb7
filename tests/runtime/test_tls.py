"""Kafka's ssl.* properties: every way to give a key, and what is said of those that are none."""

import ssl
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
)
from cryptography.hazmat.primitives.serialization.pkcs12 import serialize_key_and_certificates
from cryptography.x509 import load_der_x509_certificate

from klamm.controller.runtime.tls import TlsError, client_context, server_context
from klamm.tools.certificates import Authority

AUTHORITY = Authority.create()
OWN = AUTHORITY.issue("server", ["localhost"])
PEM = AUTHORITY.issue("server").pem
KEYSTORE, TRUSTSTORE = "ssl.keystore", "ssl.truststore"


def pkcs12(password: str, *, with_key: bool = True) -> bytes:
    return serialize_key_and_certificates(
        b"name",
        OWN.key if with_key else None,
        OWN.certificate if with_key else None,
        [AUTHORITY.itself.certificate],
        BestAvailableEncryption(password.encode()) if password else NoEncryption(),
    )


def names(context: ssl.SSLContext) -> set[str]:
    """Return the common names of those whom a context trusts."""
    return {
        str(attribute.value)
        for der in context.get_ca_certs(binary_form=True)
        for attribute in load_der_x509_certificate(der).subject
    }


def shake_hands(server: ssl.SSLContext, client: ssl.SSLContext) -> ssl.SSLObject:
    """Have both talk without a socket; return the client's side. Raises ssl.SSLError."""
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    ours = client.wrap_bio(to_client, to_server, server_hostname="localhost")
    theirs = server.wrap_bio(to_server, to_client, server_side=True)
    for _ in range(10):
        for side in (ours, theirs):
            try:
                side.do_handshake()
            except ssl.SSLWantReadError:
                continue
    return ours


@pytest.fixture
def trust(tmp_path: Path) -> dict[str, str]:
    return written(tmp_path / "trust.pem", AUTHORITY.pem.encode(), TRUSTSTORE, "PEM")


def written(file: Path, data: bytes, store: str, kind: str = "") -> dict[str, str]:
    file.write_bytes(data)
    found = {f"{store}.location": str(file)}
    return {**found, f"{store}.type": kind} if kind else found


@pytest.mark.parametrize("kind", ["", "JKS", "PKCS12", "pkcs12"])
@pytest.mark.parametrize("password", ["secret", ""])
def test_a_key_from_pkcs12(tmp_path: Path, trust: dict[str, str], kind: str, password: str) -> None:
    # Java's type JKS, the default, takes PKCS12 files as well.
    given = written(tmp_path / "k.p12", pkcs12(password), KEYSTORE, kind)
    given[f"{KEYSTORE}.password"] = password
    assert shake_hands(server_context(given), client_context(trust)).version() == "TLSv1.3"


def test_a_key_from_a_pem_file(tmp_path: Path, trust: dict[str, str]) -> None:
    given = written(tmp_path / "k.pem", OWN.pem.encode(), KEYSTORE, "PEM")
    assert shake_hands(server_context(given), client_context(trust)).version()


@pytest.mark.parametrize("prefix", ["", "listener.name.out."])
def test_a_key_in_the_properties_themselves(trust: dict[str, str], prefix: str) -> None:
    key = OWN.key.private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret")
    )
    given = {
        f"{prefix}ssl.keystore.key": key.decode(),
        f"{prefix}ssl.keystore.certificate.chain": OWN.certificate_pem,
        f"{prefix}ssl.key.password": "secret",
    }
    inline = {"ssl.truststore.certificates": AUTHORITY.pem, "ssl.truststore.type": "PEM"}
    server = server_context(given, "listener.name.out.")
    assert shake_hands(server, client_context(inline)).version()
    with pytest.raises(TlsError, match=r"ssl\.key\.password is not its password"):
        server_context({**given, f"{prefix}ssl.key.password": "other"}, "listener.name.out.")


def test_a_listener_s_own_property_comes_first(tmp_path: Path) -> None:
    plain = written(tmp_path / "a.pem", OWN.pem.encode(), KEYSTORE, "PEM")
    given = {**plain, "listener.name.out.ssl.keystore.location": "/nowhere.pem"}
    assert server_context(given, "listener.name.in.")
    with pytest.raises(TlsError, match=r"'/nowhere\.pem' cannot be read: No such file"):
        server_context(given, "listener.name.out.")


def test_trust_from_pkcs12(tmp_path: Path) -> None:
    data = pkcs12("secret", with_key=False)
    given = written(tmp_path / "t.p12", data, TRUSTSTORE, "PKCS12")
    given[f"{TRUSTSTORE}.password"] = "secret"
    assert names(client_context(given)) == {"klamm local authority"}


def test_the_certificate_of_a_server_alone_may_be_trusted(tmp_path: Path) -> None:
    trust = written(tmp_path / "t.pem", OWN.certificate_pem.encode(), TRUSTSTORE, "PEM")
    given = written(tmp_path / "k.pem", OWN.pem.encode(), KEYSTORE, "PEM")
    assert shake_hands(server_context(given), client_context(trust)).version()


@pytest.mark.parametrize(
    ("asked", "mode"),
    [("none", ssl.CERT_NONE), ("requested", ssl.CERT_OPTIONAL), ("required", ssl.CERT_REQUIRED)],
)
def test_certificates_of_clients(
    tmp_path: Path, trust: dict[str, str], asked: str, mode: ssl.VerifyMode
) -> None:
    given = written(tmp_path / "k.pem", OWN.pem.encode(), KEYSTORE, "PEM")
    context = server_context({**given, **trust, "ssl.client.auth": asked})
    assert context.verify_mode is mode


def test_versions_of_tls(tmp_path: Path, trust: dict[str, str]) -> None:
    given = written(tmp_path / "k.pem", OWN.pem.encode(), KEYSTORE, "PEM")
    old = server_context({**given, "ssl.enabled.protocols": "TLSv1.2"})
    assert shake_hands(old, client_context(trust)).version() == "TLSv1.2"
    new = client_context({**trust, "ssl.enabled.protocols": "TLSv1.3"})
    with pytest.raises(ssl.SSLError):
        shake_hands(old, new)


def test_whom_the_system_trusts_without_a_trust_store() -> None:
    context = client_context({})
    assert context.check_hostname
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert not client_context({"ssl.endpoint.identification.algorithm": ""}).check_hostname


JKS = b"\xfe\xed\xfe\xed\0\0\0\2"


@pytest.mark.parametrize(
    ("data", "more", "why"),
    [
        (None, {}, "ssl.keystore.location is missing: a listener with TLS needs a key"),
        (JKS, {}, "k' is a Java keystore, which only Java can read; convert it: keytool"),
        (JKS, {}, "-deststoretype PKCS12"),
        (b"garbage", {}, "it is no PKCS12 file, or ssl.keystore.password is not its password"),
        (pkcs12("secret"), {f"{KEYSTORE}.password": "other"}, "is not its password"),
        (pkcs12("", with_key=False), {}, "it holds no private key with a certificate"),
        (b"garbage", {f"{KEYSTORE}.type": "PEM"}, "no private key with its certificate"),
        (PEM.encode(), {}, "for PEM set ssl.keystore.type=PEM"),
        (b"", {f"{KEYSTORE}.type": "BCFKS"}, "ssl.keystore.type='BCFKS': PKCS12 or PEM is needed"),
        (pkcs12(""), {"ssl.client.auth": "maybe"}, "ssl.client.auth='maybe'"),
        (pkcs12(""), {"ssl.enabled.protocols": "TLSv1.1"}, "'TLSv1.1' is none of TLSv1.2"),
        (pkcs12(""), {"ssl.cipher.suites": "TLS_X"}, "no Java names of cipher suites"),
        (
            pkcs12(""),
            {"ssl.client.auth": "required", "ssl.truststore.certificates": "x"},
            "ssl.truststore.certificates: no certificate can be read",
        ),
    ],
)
def test_keys_that_are_none(
    tmp_path: Path, data: bytes | None, more: dict[str, str], why: str
) -> None:
    given = {} if data is None else written(tmp_path / "k", data, KEYSTORE)
    with pytest.raises(TlsError) as refused:
        server_context({**given, **more})
    assert why in str(refused.value)


def test_a_client_that_checks_names_otherwise() -> None:
    with pytest.raises(TlsError, match="algorithm='LDAPS': https is needed"):
        client_context({"ssl.endpoint.identification.algorithm": "LDAPS"})


def test_no_key_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    server_context(written(tmp_path / "k.p12", pkcs12(""), KEYSTORE))
    with pytest.raises(TlsError):
        server_context(written(tmp_path / "x", b"garbage", KEYSTORE, "PEM"))
    assert list((tmp_path / "tmp").iterdir()) == []
