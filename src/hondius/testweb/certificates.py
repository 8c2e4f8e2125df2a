"""A temporary certificate authority for one run of the web, and certificates for its HTTPS hosts."""

import datetime
import ipaddress
import ssl
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

VALID_DAYS = 30
HOSTS_PER_CERTIFICATE = 50
"""A compromise: few certificates are quick to create, small ones are quick to send in each handshake."""
MAX_COMMON_NAME = 64
"""The limit of X.520; clients check only the alternative names."""


class Authority:
    """Writes its certificate to `directory/ca.pem`. Its private key is never written, those of the hosts are."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Hondius test web")])
        builder = _sign_certificate(name, name, self._key.public_key(), self._key.public_key())
        usage = x509.KeyUsage(False, False, False, False, False, True, True, False, False)
        builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        self._certificate = builder.add_extension(usage, critical=True).sign(self._key, hashes.SHA256())
        self.file = directory / "ca.pem"
        self.file.write_bytes(self._certificate.public_bytes(serialization.Encoding.PEM))

    def make_contexts(self, names: list[str]) -> dict[str, ssl.SSLContext]:
        """The TLS context of each host."""
        contexts: dict[str, ssl.SSLContext] = {}
        for start in range(0, len(names), HOSTS_PER_CERTIFICATE):
            group = names[start : start + HOSTS_PER_CERTIFICATE]
            contexts |= dict.fromkeys(group, self._make_context(group))
        return contexts

    def write_certificate(self, names: list[str]) -> Path:
        """Writes a new key and its certificate for `names` to one file."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, names[0][:MAX_COMMON_NAME])])
        builder = _sign_certificate(subject, self._certificate.subject, key.public_key(), self._key.public_key())
        builder = builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        builder = builder.add_extension(
            x509.SubjectAlternativeName([_make_alternative_name(name) for name in names]), critical=False
        )
        builder = builder.add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        certificate = builder.sign(self._key, hashes.SHA256())
        file = self._directory / f"{names[0]}.pem"
        file.touch(mode=0o600)
        file.write_bytes(_encode_private_key(key) + certificate.public_bytes(serialization.Encoding.PEM))
        return file

    def _make_context(self, names: list[str]) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.set_alpn_protocols(["http/1.1"])
        context.load_cert_chain(self.write_certificate(names))
        return context


def _sign_certificate(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, signed_with: ec.EllipticCurvePublicKey
) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=VALID_DAYS))
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signed_with), critical=False)
    )


def _make_alternative_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name.strip("[]")))
    except ValueError:
        return x509.DNSName(name)


def _encode_private_key(key: ec.EllipticCurvePrivateKey) -> bytes:
    form = serialization.PrivateFormat.PKCS8
    return key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())
