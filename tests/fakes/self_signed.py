"""A certificate that nobody vouches for, for servers on this computer."""

from __future__ import annotations

import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


class SelfSigned:
    """A key and its certificate for 127.0.0.1, or for a name, in a file."""

    def __init__(self, folder: Path, name: str = "") -> None:
        self._path = folder / f"server{name}.pem"
        key = ec.generate_private_key(ec.SECP256R1())
        unencrypted = serialization.NoEncryption()
        pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, unencrypted)
        self._path.write_bytes(pem + _certificate(key, name).public_bytes(serialization.Encoding.PEM))

    @property
    def ca_file(self) -> str:
        """Where the certificate lies."""
        return str(self._path)

    def server(self) -> ssl.SSLContext:
        """The server's side of TLS."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self._path)
        return context

    def client(self) -> ssl.SSLContext:
        """The side of a client that trusts it."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.load_verify_locations(self._path)
        return context


def _certificate(key: ec.EllipticCurvePrivateKey, host: str) -> x509.Certificate:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host or "127.0.0.1")])
    place = x509.DNSName(host) if host else x509.IPAddress(ip_address("127.0.0.1"))
    address = x509.SubjectAlternativeName([place])
    start = datetime(2026, 1, 1, tzinfo=UTC)
    return (
        x509.CertificateBuilder(name, name, key.public_key(), 1, start, start + timedelta(days=36500))
        .add_extension(address, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
