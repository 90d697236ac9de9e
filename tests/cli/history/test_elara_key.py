"""Elara's key text is read from a file, and nothing is assumed where there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.cli.history.imports import read_elara_key
from workbench.domain.errors import InvalidInput


@pytest.mark.parametrize("content", ["geheim ß", "geheim ß\n", "geheim ß\r\n", "\ufeffgeheim ß\n"])
def test_a_line_end_is_left_out(tmp_path: Path, content: str):
    (tmp_path / "key").write_bytes(content.encode())
    assert read_elara_key(str(tmp_path / "key")).reveal_text() == "geheim ß"


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"\xff", b"x" * 70_000], ids=["empty", "line", "no text", "long"]
)
def test_what_cannot_be_a_key_text_is_refused(tmp_path: Path, content: bytes):
    (tmp_path / "key").write_bytes(content)
    with pytest.raises(InvalidInput):
        read_elara_key(str(tmp_path / "key"))


def test_a_missing_file_is_refused(tmp_path: Path):
    with pytest.raises(InvalidInput, match="No such file"):
        read_elara_key(str(tmp_path / "key"))
