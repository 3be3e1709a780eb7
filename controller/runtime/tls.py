"""TLS from Kafka's ssl.* properties: contexts for servers and for clients.

Keys and certificates come as PEM, in a file or in the property itself, or as PKCS12. Java's own
JKS format is refused with the command that converts it. Like Java, a certificate in a trust store
is trusted whether or not it is that of an authority.
Source: Kafka 3.9, SslConfigs.java, BrokerSecurityConfigs.java, DefaultSslEngineFactory.java.
"""

import os
import secrets
import ssl
import tempfile
from collections.abc import Mapping
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
)
from cryptography.hazmat.primitives.serialization.pkcs12 import (
    PKCS12KeyAndCertificates,
    load_pkcs12,
)

_JKS_MAGIC = b"\xfe\xed\xfe\xed"
_VERSIONS = {"TLSv1.2": ssl.TLSVersion.TLSv1_2, "TLSv1.3": ssl.TLSVersion.TLSv1_3}
_CLIENT_AUTH = {
    "none": ssl.CERT_NONE,
    "requested": ssl.CERT_OPTIONAL,
    "required": ssl.CERT_REQUIRED,
}


class TlsError(ValueError):
    """Properties give no TLS; the text names the property and what to do."""


def server_context(properties: Mapping[str, str], prefix: str = "") -> ssl.SSLContext:
    """Return what a listener serves by; raises TlsError.

    A property with the prefix, such as `listener.name.external.`, comes before the plain one.
    """
    found = _Properties(properties, prefix)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    _limit_versions(context, found)
    if not _load_key(context, found):
        raise TlsError(
            f"{found.key('ssl.keystore.location')} is missing: a listener with TLS needs a key and"
            " a certificate, as a PKCS12 or PEM file"
        )
    wanted = found.get("ssl.client.auth", "none").lower()
    if wanted not in _CLIENT_AUTH:
        raise TlsError(
            f"{found.key('ssl.client.auth')}={wanted!r}: one of {', '.join(_CLIENT_AUTH)} is needed"
        )
    context.verify_mode = _CLIENT_AUTH[wanted]
    if context.verify_mode is not ssl.CERT_NONE:
        _load_trust(context, found)
    return context


def client_context(properties: Mapping[str, str], prefix: str = "") -> ssl.SSLContext:
    """Return what a client connects by; raises TlsError.

    The server's name is checked unless ssl.endpoint.identification.algorithm is set and empty.
    """
    found = _Properties(properties, prefix)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    _limit_versions(context, found)
    algorithm = found.get("ssl.endpoint.identification.algorithm", "https")
    if algorithm.lower() not in ("https", ""):
        raise TlsError(
            f"{found.key('ssl.endpoint.identification.algorithm')}={algorithm!r}: https is needed,"
            " or nothing for no check of the server's name"
        )
    context.check_hostname = bool(algorithm)
    _load_trust(context, found)
    _load_key(context, found)
    return context


class _Properties:
    """Properties, of which those with a prefix come first."""

    def __init__(self, properties: Mapping[str, str], prefix: str) -> None:
        self._properties = properties
        self._prefix = prefix

    def key(self, name: str) -> str:
        """Return the key by which a property was given, or would be."""
        prefixed = self._prefix + name
        return name if name in self._properties and prefixed not in self._properties else prefixed

    def get(self, name: str, default: str = "") -> str:
        return self._properties.get(self.key(name), default).strip()

    def file(self, name: str) -> bytes | None:
        """Return what the file of a property holds; None if there is no such property."""
        path = self.get(name)
        if not path:
            return None
        try:
            return Path(path).read_bytes()
        except OSError as error:
            raise TlsError(f"{self.key(name)}={path!r} cannot be read: {error.strerror}") from error


def _limit_versions(context: ssl.SSLContext, found: _Properties) -> None:
    if found.get("ssl.cipher.suites"):
        raise TlsError(
            f"{found.key('ssl.cipher.suites')}: klamm knows no Java names of cipher suites; leave"
            " it out, OpenSSL's defaults are sound"
        )
    names = [
        name.strip() for name in found.get("ssl.enabled.protocols", "TLSv1.2,TLSv1.3").split(",")
    ]
    unknown = [name for name in names if name not in _VERSIONS]
    if unknown:
        known = ", ".join(_VERSIONS)
        raise TlsError(f"{found.key('ssl.enabled.protocols')}: {unknown[0]!r} is none of {known}")
    versions = [_VERSIONS[name] for name in names]
    context.minimum_version, context.maximum_version = min(versions), max(versions)


def _load_key(context: ssl.SSLContext, found: _Properties) -> bool:
    """Load the own key and certificates; False if there are none."""
    chain, key = found.get("ssl.keystore.certificate.chain"), found.get("ssl.keystore.key")
    password = found.get("ssl.key.password")
    where = found.key("ssl.keystore.location")
    if chain or key:
        where = found.key("ssl.keystore.key")
        _load_pem(context, f"{key}\n{chain}\n".encode(), password, where)
        return True
    data = found.file("ssl.keystore.location")
    if data is None:
        return False
    if _is_pem(found, "ssl.keystore"):
        _load_pem(context, data, password, where)
        return True
    store = _pkcs12(found, "ssl.keystore", data)
    if store.key is None or store.cert is None:
        raise TlsError(f"{where}: it holds no private key with a certificate")
    # Only a file can be given to OpenSSL; the key in it is encrypted, by a password of this moment.
    once = secrets.token_hex()
    pem = store.key.private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(once.encode())
    )
    certificates = (store.cert, *store.additional_certs)
    pem += b"".join(each.certificate.public_bytes(Encoding.PEM) for each in certificates)
    _load_pem(context, pem, once, where)
    return True


def _load_pem(context: ssl.SSLContext, pem: bytes, password: str, where: str) -> None:
    handle, path = tempfile.mkstemp(prefix="klamm-", suffix=".pem")  # readable by its owner alone
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(pem)
        # A function, or OpenSSL would ask on the terminal for a password that is missing.
        context.load_cert_chain(path, password=lambda: password)
    except (ssl.SSLError, ValueError) as error:
        raise TlsError(
            f"{where}: no private key with its certificate can be read from it, or"
            f" {where.rpartition('ssl.')[0]}ssl.key.password is not its password: {error}"
        ) from error
    finally:
        os.unlink(path)


def _load_trust(context: ssl.SSLContext, found: _Properties) -> None:
    """Load whom to trust; without a trust store whoever the system trusts."""
    where = found.key("ssl.truststore.location")
    pem = found.get("ssl.truststore.certificates")
    if pem:
        where = found.key("ssl.truststore.certificates")
    else:
        data = found.file("ssl.truststore.location")
        if data is None:
            context.load_default_certs(
                ssl.Purpose.CLIENT_AUTH
                if context.protocol is ssl.PROTOCOL_TLS_SERVER
                else ssl.Purpose.SERVER_AUTH
            )
            return
        if _is_pem(found, "ssl.truststore"):
            pem = data.decode("latin-1")
        else:
            store = _pkcs12(found, "ssl.truststore", data)
            certificates = [each.certificate for each in store.additional_certs]
            pem = "".join(each.public_bytes(Encoding.PEM).decode() for each in certificates)
    try:
        context.load_verify_locations(cadata=pem)
    except (ssl.SSLError, ValueError) as error:
        raise TlsError(f"{where}: no certificate can be read from it: {error}") from error
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN


def _is_pem(found: _Properties, store: str) -> bool:
    kind = found.get(f"{store}.type", "JKS").upper()
    if kind not in ("JKS", "PKCS12", "PEM"):
        raise TlsError(f"{found.key(f'{store}.type')}={kind!r}: PKCS12 or PEM is needed")
    return kind == "PEM"


def _pkcs12(found: _Properties, store: str, data: bytes) -> PKCS12KeyAndCertificates:
    """Read a PKCS12 file, which like Java's own reader we take for the type JKS too."""
    where = found.key(f"{store}.location")
    path = found.get(f"{store}.location")
    if data.startswith(_JKS_MAGIC):
        raise TlsError(
            f"{where}={path!r} is a Java keystore, which only Java can read; convert it: keytool"
            f" -importkeystore -srckeystore {path} -destkeystore {path}.p12 -deststoretype PKCS12"
        )
    password = found.get(f"{store}.password")
    try:
        return load_pkcs12(data, password.encode() or None)
    except ValueError as error:
        raise TlsError(
            f"{where}={path!r} cannot be read: it is no PKCS12 file, or"
            f" {found.key(f'{store}.password')} is not its password; for PEM set"
            f" {found.key(f'{store}.type')}=PEM"
        ) from error


def subject_der(certificate: bytes) -> bytes:
    """Return the subject of a certificate, both in DER."""
    return x509.load_der_x509_certificate(certificate).subject.public_bytes()


def handshake_failure(error: BaseException) -> str:
    """Say in words for operators why a handshake came to nothing."""
    cause = error.__cause__
    reason = getattr(cause, "reason", None) or ""
    if reason in ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "BAD_VERSION_NUMBER", "BAD_RECORD_TYPE"):
        return f"{reason}; the other side seems to speak without TLS"
    return str(cause or error) or type(error).__name__
