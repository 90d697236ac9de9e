"""`--key-file`: random bytes in any common spelling, and nothing weaker."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

import pytest

from workbench.domain.errors import UnusableSecret
from workbench.domain.secrets import Secret
from workbench.storage.keys.protectors import MOST_RAW_BYTES, read_key_file

KEY = hashlib.sha256(b"a key").digest()


@pytest.mark.parametrize(
    "content",
    [
        KEY,
        KEY.hex().encode(),
        KEY.hex().upper().encode() + b"\n",
        base64.b64encode(KEY) + b"\n",
        base64.urlsafe_b64encode(KEY).rstrip(b"="),
        base64.encodebytes(KEY),
    ],
    ids=["raw", "hex", "HEX line", "base64", "urlsafe", "wrapped base64"],
)
def test_the_same_bytes_in_every_spelling(tmp_path: Path, content: bytes):
    (tmp_path / "k").write_bytes(content)
    assert read_key_file(tmp_path / "k") == Secret(KEY)


def test_longer_is_fine(tmp_path: Path):
    (tmp_path / "k").write_bytes(KEY * 4)
    assert read_key_file(tmp_path / "k") == Secret(KEY * 4)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "fewer than 32"),
        (KEY[:31], "fewer than 32"),
        (KEY[:31].hex().encode(), "fewer than 32"),
        (b"\0" * 64, "not random"),
        (b"ab" * 64, "not random"),
        (b"correct horse battery staple and some more words", "text"),
        (b"correcthorsebatterystaplecorrecthorsebatterystaple", "text"),
        (KEY * (MOST_RAW_BYTES // 32 + 1), "longer"),
    ],
)
def test_what_is_no_key_is_refused_with_how_to_make_one(tmp_path: Path, content: bytes, reason: str):
    (tmp_path / "k").write_bytes(content)
    with pytest.raises(UnusableSecret, match=reason) as refusal:
        read_key_file(tmp_path / "k")
    assert "openssl rand" in str(refusal.value)
    assert str(tmp_path / "k") in str(refusal.value)


@pytest.mark.parametrize("name", ["missing", "."])
def test_what_cannot_be_read_is_named(tmp_path: Path, name: str):
    with pytest.raises(UnusableSecret, match="cannot be read"):
        read_key_file(tmp_path / name)
