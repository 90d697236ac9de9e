"""The language of a run: that of the settings, else that of the environment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from workbench.files.language import shown_language, use_language
from workbench.wiring import language
from workbench.wiring.language import set_language


@pytest.fixture(autouse=True)
def english_after() -> Iterator[None]:
    yield
    use_language("en", Path())


@pytest.mark.parametrize(
    ("settings", "shown"),
    [
        ('language = "en_XA"', "en_XA"),
        ('language = "en"', "en"),
        ("", "zh_CN"),
        ("language = [", "zh_CN"),
        (None, "zh_CN"),
    ],
)
def test_the_settings_win_over_the_environment(
    settings: str | None, shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    # Not in the real one: the system would say its errors in it from then on, too.
    monkeypatch.setattr(language, "os", SimpleNamespace(environ={"LANGUAGE": "zh_CN"}))
    if settings is not None:
        (tmp_path / "settings.toml").write_text(settings, encoding="utf-8")
    set_language(["ask", f"--data-dir={tmp_path}", "a question"])
    assert shown_language() == shown
    set_language(["--data-dir", str(tmp_path)])
    assert shown_language() == shown
