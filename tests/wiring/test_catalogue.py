"""The user's own model catalogue: found, put on top of the shipped one, and named where it cannot be used."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path

import pytest

from workbench.__main__ import main
from workbench.domain.errors import InvalidInput
from workbench.providers.catalogue import load_catalogue
from workbench.sources.resources import resource_path
from workbench.wiring.building import FolderCatalogue, own_catalogue
from workbench.wiring.folder import ProgramFolder

Capture = pytest.CaptureFixture[str]
OWN = """
format = "workbench-models/1"
[[family]]
provider = "local"
tokenizer = "o200k_base"
exact = false
message_tokens = 4
reply_tokens = 3
as_of = "2026-11-15"
models = [{ name = "mine", context_window_tokens = 5000 }, { name = "gpt-4o", context_window_tokens = 6000 }]
"""


def catalogue(folder: Path, settings: str = "") -> FolderCatalogue:
    if settings:
        (folder / "settings.toml").write_text(settings, encoding="utf-8")
    return FolderCatalogue(
        load_catalogue(resource_path("models.toml")), ProgramFolder(Namespace(data_dir=str(folder)))
    )


def windows(found: FolderCatalogue) -> list[int]:
    return [found.find(name).context_window_tokens for name in ("mine", "gpt-4o", "gpt-4")]


def test_without_ones_own_the_shipped_one_holds(tmp_path: Path):
    found = catalogue(tmp_path / "nowhere")
    found.check()
    assert windows(found) == [32_768, 128_000, 8_192]
    assert not (tmp_path / "nowhere").exists()


def test_one_in_the_data_folder_is_found(tmp_path: Path):
    (tmp_path / "models.toml").write_text(OWN)
    found = catalogue(tmp_path)
    found.check()
    assert windows(found) == [5_000, 6_000, 8_192]


@pytest.mark.parametrize("absolute", [True, False])
def test_one_that_the_settings_name_wins(tmp_path: Path, absolute: bool):
    (tmp_path / "models.toml").write_text("broken")
    (tmp_path / "mine.toml").write_text(OWN)
    name = tmp_path / "mine.toml" if absolute else "mine.toml"
    assert windows(catalogue(tmp_path, f"catalogue = '{name}'\n")) == [5_000, 6_000, 8_192]


def test_a_path_from_home_is_understood(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    (tmp_path / "settings.toml").write_text("catalogue = '~/mine.toml'\n")
    assert own_catalogue(ProgramFolder(Namespace(data_dir=str(tmp_path)))) == tmp_path / "mine.toml"


@pytest.mark.parametrize(
    ("settings", "own", "complaint"),
    [
        ("catalogue = 'gone.toml'\n", OWN, "gone.toml: the model catalogue cannot be read"),
        ("", OWN.replace("5000", "0"), "family[0].models[0].context_window_tokens: expected an integer"),
        ("", "x = [", "the model catalogue cannot be read"),
    ],
)
def test_what_is_wrong_is_named_and_the_shipped_one_holds(
    tmp_path: Path, settings: str, own: str, complaint: str
):
    (tmp_path / "models.toml").write_text(own)
    found = catalogue(tmp_path, settings)
    for _ in range(2):
        with pytest.raises(InvalidInput) as caught:
            found.check()
        assert complaint in str(caught.value)
    assert windows(found) == [32_768, 128_000, 8_192]


def test_without_a_home_there_is_none(monkeypatch: pytest.MonkeyPatch):
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("WORKBENCH_DATA_DIR", raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    assert own_catalogue(ProgramFolder(Namespace())) is None


def trajectory(folder: Path) -> str:
    path = folder / "trajectory.json"
    path.write_text(
        json.dumps(
            {
                "format": "workbench-trajectory/1",
                "settings": {"model": "mine", "reserved_output_tokens": 0},
                "turns": [{"user": "Hello"}],
            }
        )
    )
    return str(path)


def test_commands_go_by_it(tmp_path: Path, capsys: Capture):
    (tmp_path / "models.toml").write_text(OWN)
    assert main(["replay", trajectory(tmp_path), "--data-dir", str(tmp_path)]) == 0
    assert json.loads(capsys.readouterr().out)["turns"][0]["window_tokens"] == 5_000


@pytest.mark.parametrize("command", ["replay FILE", "models", "inspect c", "ask Why?"])
def test_commands_that_need_it_refuse_a_broken_one(command: str, tmp_path: Path, capsys: Capture):
    (tmp_path / "models.toml").write_text(OWN.replace("exact = false", ""))
    argv = command.replace("FILE", trajectory(tmp_path)).split(" ")
    before = sorted(tmp_path.iterdir())
    assert main([*argv, "--data-dir", str(tmp_path)]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "models.toml: family[0].models[0].exact: missing" in shown.err
    assert sorted(tmp_path.iterdir()) == before


def test_the_doctor_reports_a_broken_one_and_goes_on(tmp_path: Path, capsys: Capture):
    (tmp_path / "models.toml").write_text("x = 1")
    assert main(["doctor", "--json", "--data-dir", str(tmp_path)]) == 1
    found = {one["check"]: one for one in json.loads(capsys.readouterr().out)}
    assert not found["catalogue"]["ok"]
    assert found["ranks"]["ok"]
    assert "providers" in found
