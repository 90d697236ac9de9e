"""The data folder of a call."""

from __future__ import annotations

import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import pytest

from workbench.settings.settings_file import FILE_NAME
from workbench.wiring.folder import SETTINGS_NAME, NoHome, ProgramFolder, data_dir, new_id, utc_now


def test_the_command_line_wins_over_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("WORKBENCH_DATA_DIR", str(tmp_path / "environment"))
    assert ProgramFolder(Namespace()).folder == tmp_path / "environment"
    assert ProgramFolder(Namespace(data_dir=str(tmp_path / "asked"))).folder == tmp_path / "asked"


def test_settings_are_read_once_and_what_is_wrong_is_named(tmp_path: Path):
    (tmp_path / "settings.toml").write_text('model = "gpt-4o"\nmax_tool_rounds = "many"\n', encoding="utf-8")
    place = ProgramFolder(Namespace(data_dir=str(tmp_path)))
    assert place.preferences() is place.preferences()
    assert (place.preferences().model, place.preferences().max_tool_rounds) == ("gpt-4o", 8)
    (problem,) = place.problems()
    assert "max_tool_rounds" in str(problem)


def test_a_folder_that_is_not_there_has_the_defaults_and_is_not_made(tmp_path: Path):
    place = ProgramFolder(Namespace(data_dir=str(tmp_path / "new")))
    assert (place.preferences().model, place.problems()) == ("builtin", ())
    assert not (tmp_path / "new").exists()


def test_what_is_wrong_is_told_once_and_not_to_who_shows_it_anyway(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "settings.toml").write_text('max_tool_rounds = "many"\n', encoding="utf-8")
    place = ProgramFolder(Namespace(data_dir=str(tmp_path)))
    place.preferences()
    place.preferences()
    assert capsys.readouterr().err.count("max_tool_rounds") == 1
    showing = ProgramFolder(Namespace(data_dir=str(tmp_path)))
    assert len(showing.problems()) == 1
    showing.preferences()
    assert capsys.readouterr().err == ""


def test_where_there_are_no_settings_nothing_is_loaded_to_read_them(tmp_path: Path):
    """What checks them takes longer to load than many commands take in all."""
    code = (
        "import sys; from argparse import Namespace; from workbench.wiring.folder import ProgramFolder; "
        f"ProgramFolder(Namespace(data_dir={str(tmp_path)!r})).preferences(); sys.exit('tomlkit' in sys.modules)"
    )
    assert subprocess.call([sys.executable, "-c", code]) == 0
    assert SETTINGS_NAME == FILE_NAME


def test_settings_that_cannot_be_seen_are_said(tmp_path: Path):
    (tmp_path / "file").write_text("")
    (problem,) = ProgramFolder(Namespace(data_dir=str(tmp_path / "file"))).problems()
    assert "could not be read" in str(problem)


def test_without_a_home_the_folder_must_be_named(monkeypatch: pytest.MonkeyPatch):
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("WORKBENCH_DATA_DIR", raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    with pytest.raises(NoHome, match="--data-dir"):
        data_dir(Namespace())


def test_ids_differ_and_times_are_utc():
    assert new_id() != new_id()
    assert utc_now().endswith("Z")
