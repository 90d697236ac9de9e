"""Names of real files: by the workspace, by the folder that was attached, else by the file."""

from __future__ import annotations

from pathlib import Path

from workbench.sources.attached_file import Naming


def made(folder: Path, *steps: str) -> str:
    path = folder.joinpath(*steps)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x")
    return str(path)


def test_inside_the_workspace_it_is_the_path_in_it(tmp_path: Path):
    naming = Naming("", lambda: str(tmp_path / "work"))
    assert naming.names(made(tmp_path, "work", "docs", "api.md"))[0] == "docs/api.md"
    assert naming.names(made(tmp_path, "work", "api.md"))[0] == "api.md"
    assert naming.names(made(tmp_path, "workshop", "docs", "api.md"))[0] == "api.md"


def test_of_an_attached_folder_it_is_the_folder_and_the_path_in_it(tmp_path: Path):
    path = made(tmp_path, "notes", "deep", "a.md")
    assert Naming().names(path, least=3)[0] == "notes/deep/a.md"


def test_nothing_of_the_home_is_in_any_name(tmp_path: Path):
    home = tmp_path / "people" / "ada"
    naming = Naming(str(home.resolve()), lambda: str(tmp_path))
    names = naming.names(made(home, "x", "a.md"))
    assert names == ("x/a.md",)  # the workspace is above the home: its path would tell whose it is
    assert Naming(str(home.resolve())).names(made(home, "a.md"), least=2) == ("a.md",)


def test_a_link_is_called_as_it_is_called(tmp_path: Path):
    real = Path(made(tmp_path, "elsewhere", "v2.md"))
    (tmp_path / "work").mkdir()
    link = tmp_path / "work" / "current.md"
    link.symlink_to(real)
    assert Naming("", lambda: str(tmp_path / "work")).names(str(link))[0] == "current.md"


def test_relative_paths_are_those_of_the_folder_the_program_runs_in(tmp_path: Path, monkeypatch):
    made(tmp_path, "docs", "api.md")
    monkeypatch.chdir(tmp_path)
    assert Naming("", lambda: ".").names("docs/api.md")[0] == "docs/api.md"
    assert Naming("", lambda: str(tmp_path / "docs")).names("docs/../docs/api.md")[0] == "api.md"


def test_what_lies_in_the_programs_folder_is_its_own(tmp_path: Path):
    naming = Naming(own=made(tmp_path, "data/x.db").removesuffix("/x.db"))
    assert naming.is_own(str(tmp_path / "data"))
    assert naming.is_own(str(tmp_path / "data" / "deep" / "y"))
    assert not naming.is_own(made(tmp_path, "data.md"))
    assert not Naming().is_own(str(tmp_path))
