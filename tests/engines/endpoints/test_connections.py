"""The certificates that clients of other services trust."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding

from engines.endpoints.connections import trusted


def write_authority(file: Path, name: str, at: int) -> None:
    """A certificate that signs others, written at that second."""
    key, who = Ed25519PrivateKey.generate(), x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    start = datetime(2026, 1, 1, tzinfo=UTC)
    made = x509.CertificateBuilder(who, who, key.public_key(), 1, start, start + timedelta(days=9999))
    signs = made.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    file.write_bytes(signs.sign(key, None).public_bytes(Encoding.PEM))
    os.utime(file, (at, at))


def names() -> list[str]:
    return [part[0][1] for each in trusted().get_ca_certs() for part in each["subject"]]  # type: ignore[misc]


def test_certificates_are_read_once_and_again_when_somebody_replaced_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "trusted.pem"
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    write_authority(file, "Before", at=1_000)
    assert names() == ["Before"]
    assert trusted() is trusted()
    write_authority(file, "After", at=2_000)
    assert names() == ["After"]
