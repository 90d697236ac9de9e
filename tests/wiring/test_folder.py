"""The data folder of a call."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import pytest

from workbench.wiring.folder import Place, new_id, utc_now


def test_the_command_line_wins_over_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("WORKBENCH_DATA_DIR", str(tmp_path / "environment"))
    assert Place(Namespace()).folder == tmp_path / "environment"
    assert Place(Namespace(data_dir=str(tmp_path / "asked"))).folder == tmp_path / "asked"


def test_settings_are_read_once_and_what_is_wrong_is_named(tmp_path: Path):
    (tmp_path / "settings.toml").write_text('model = "gpt-4o"\nmax_tool_rounds = "many"\n', encoding="utf-8")
    place = Place(Namespace(data_dir=str(tmp_path)))
    assert place.preferences() is place.preferences()
    assert (place.preferences().model, place.preferences().max_tool_rounds) == ("gpt-4o", 8)
    (problem,) = place.problems()
    assert "max_tool_rounds" in problem


def test_a_folder_that_is_not_there_has_the_defaults_and_is_not_made(tmp_path: Path):
    place = Place(Namespace(data_dir=str(tmp_path / "new")))
    assert (place.preferences().model, place.problems()) == ("builtin", ())
    assert not (tmp_path / "new").exists()


def test_ids_differ_and_times_are_utc():
    assert new_id() != new_id()
    assert utc_now().endswith("Z")
