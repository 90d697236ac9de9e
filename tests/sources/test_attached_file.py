"""A file as it is attached; what is refused stands in test_attach.py."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.domain.files.test_pictures import PNG
from workbench.domain.files.attached import CannotAttach, NamedFile
from workbench.domain.files.document import Document, ReadAs
from workbench.sources.attached_file import Naming, as_attached, attached_file, written_utc


def test_text_and_pictures_come_under_their_path(tmp_path: Path):
    status = os.stat(tmp_path)
    assert attached_file("a//b.md", b"\xef\xbb\xbfwords", status).artifact.key == "a/b.md"
    text, picture = attached_file("b", b"words", status), attached_file("p", PNG, status)
    assert (text.artifact.kind, text.artifact.text, text.picture) == ("file", "words", None)
    assert picture.picture is not None
    assert (picture.artifact.kind, picture.artifact.text) == ("image", picture.picture.described)


def test_anything_else_is_refused(tmp_path: Path):
    with pytest.raises(CannotAttach, match="neither text"):
        attached_file("x", b"a\0b", os.stat(tmp_path))


def test_the_time_is_the_files_own(tmp_path: Path):
    os.utime(tmp_path, ns=(0, 1_700_000_000_900_000_000))
    assert written_utc(os.stat(tmp_path)) == "2023-11-14T22:13:20Z"


def test_a_picture_has_no_parts():
    document = Document("A picture.", ReadAs("image"))
    with pytest.raises(CannotAttach, match="it is a picture, it has no parts"):
        as_attached("p.png#L1", NamedFile("p.png", "/w/p.png", PNG, "", "L1"), document)


def test_a_scan_says_where_it_lies_whatever_it_was_called():
    document = Document("", ReadAs("pdf", pages=3), scanned=True)
    with pytest.raises(CannotAttach) as refused:
        as_attached("scan.pdf", NamedFile("scan.pdf", "/papers/scan.pdf", b"", ""), document)
    (one,) = refused.value.left_out
    assert (one.path, one.place, one.pages) == ("scan.pdf", "/papers/scan.pdf", 3)


# Names of real files: by the workspace, by the folder that was attached, else by the file.


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
