"""pip in .venv: what is shown of it, and what is kept."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import pip_client


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("Collecting tiktoken>=0.13 (from -c constraints)", "  tiktoken"),
        ("Installing collected packages: a, b, c", "  installing 3 packages"),
        ("Looking in links: somewhere", None),
    ],
)
def test_progress_shows_the_package_and_not_where_it_comes_from(line: str, shown: str | None):
    assert pip_client.progress_line(line) == shown


def test_nothing_to_install_is_done_and_kept(tmp_path: Path):
    said: list[str] = []
    log = tmp_path / "pip.log"
    assert pip_client.install(sys.executable, log, ["--dry-run", "--no-index", "pytest"], said.append) is None
    assert "pytest" in log.read_text(encoding="utf-8")


def test_a_failure_gives_the_last_words_and_keeps_all_of_them(tmp_path: Path):
    log = tmp_path / "pip.log"
    words = pip_client.install(sys.executable, log, ["--no-index", "no-such-package"], lambda text: None)
    assert words is not None
    assert "no-such-package" in words
    assert words in log.read_text(encoding="utf-8")
