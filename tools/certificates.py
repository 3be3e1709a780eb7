"""Certificates for a cluster of one's own: an authority, and what it signs, for some days."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from typing import Self

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

#: Certificates hold from a little before now, for clocks that are behind.
_BEFORE = timedelta(hours=1)
DAYS = 30

Curve = ec.SECP256R1


@dataclass(frozen=True, slots=True)
class Issued:
    """A private key and its certificate."""

    key: ec.EllipticCurvePrivateKey
    certificate: x509.Certificate

    @property
    def certificate_pem(self) -> str:
        """The certificate as PEM."""
        return self.certificate.public_bytes(Encoding.PEM).decode()

    @property
    def key_pem(self) -> str:
        """The private key as PEM, not encrypted."""
        return self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()

    @property
    def pem(self) -> str:
        """Both, as a keystore of type PEM has them."""
        return self.key_pem + self.certificate_pem


@dataclass(frozen=True, slots=True)
class Authority:
    """Signs certificates; whoever trusts its own trusts all of them."""

    itself: Issued

    @classmethod
    def create(cls, name: str = "klamm local authority") -> Self:
        """Make a new one."""
        key = ec.generate_private_key(Curve())
        subject = _name(name)
        builder = (
            _builder(subject, subject, key, timedelta(days=DAYS))
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_usage(signs_certificates=True), critical=True)
        )
        return cls(Issued(key, builder.sign(key, SHA256())))

    @property
    def pem(self) -> str:
        """What a trust store of type PEM has of it."""
        return self.itself.certificate_pem

    def issue(
        self,
        name: str | x509.Name,
        hosts: Sequence[str] = (),
        lasts: timedelta = timedelta(days=DAYS),
    ) -> Issued:
        """Sign a certificate, for servers with the names and addresses that they are reached by.

        One that lasts less than no time has expired already.
        """
        key = ec.generate_private_key(Curve())
        subject = _name(name) if isinstance(name, str) else name
        issuer = self.itself.certificate
        authority = x509.AuthorityKeyIdentifier.from_issuer_public_key(self.itself.key.public_key())
        builder = (
            _builder(subject, issuer.subject, key, lasts)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_usage(signs_certificates=False), critical=True)
            .add_extension(authority, critical=False)
        )
        if hosts:
            names = x509.SubjectAlternativeName([_host(host) for host in hosts])
            builder = builder.add_extension(names, critical=False)
        return Issued(key, builder.sign(self.itself.key, SHA256()))


def _builder(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    lasts: timedelta,
) -> x509.CertificateBuilder:
    end = datetime.now(UTC) + lasts
    begin = min(datetime.now(UTC), end) - _BEFORE
    return (
        x509.CertificateBuilder(issuer, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(begin)
        .not_valid_after(end)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )


def _name(common_name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _host(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(host))
    except ValueError:
        return x509.DNSName(host)
