"""The one way through a folder: whatever lies there is named, nothing leads out of it, and nothing ends the walk."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from tests.fakes.attachments import tiny
from workbench.domain.files.attached import AttachLimits
from workbench.domain.files.folder import FolderEntry, FolderRules
from workbench.sources.folder_walk import DEEPEST, FolderWalk


def walked(
    path: Path, rules: FolderRules | None = None, limits: AttachLimits | None = None
) -> dict[str, FolderEntry]:
    walk = FolderWalk(str(path), rules or FolderRules(), limits or AttachLimits())
    found: list[FolderEntry] = []
    while batch := walk.more():
        found += batch
    walk.close()
    return {entry.path: entry for entry in found}


def write(root: Path, **files: str) -> None:
    for name, text in files.items():
        place = root / name.replace("__", "/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)


def reasons(found: dict[str, FolderEntry]) -> dict[str, tuple[str, str]]:
    return {path: (one.standing, one.reason) for path, one in found.items() if one.standing != "open"}


def test_parents_come_before_what_is_in_them_and_kinds_are_known(tmp_path: Path):
    for name in ("src/deep/a.py", "docs/a.pdf", "logo.png", "data.csv", "x.log", "Makefile", "odd.zzz"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    found = walked(tmp_path)
    order = list(found)
    assert order.index("src") < order.index("src/deep") < order.index("src/deep/a.py")
    kinds = {path: one.kind for path, one in found.items() if not one.folder}
    assert kinds == {
        "src/deep/a.py": "code", "docs/a.pdf": "document", "logo.png": "picture", "data.csv": "data",
        "x.log": "log", "Makefile": "code", "odd.zzz": "other",
    }  # fmt: skip


def test_nested_gitignores_say_their_line_and_a_negation_brings_back(tmp_path: Path):
    write(
        tmp_path, a="", **{"b.log": "", "keep.log": "", "sub__x.tmp": "", "sub__y.tmp": "", "sub__z.log": ""}
    )
    (tmp_path / ".gitignore").write_text("# logs\n*.log\n!keep.log\n")
    (tmp_path / "sub" / ".gitignore").write_text("*.tmp\n!y.tmp\n!z.log\n")
    assert reasons(walked(tmp_path)) == {
        ".gitignore": ("hidden", "hidden"),
        "sub/.gitignore": ("hidden", "hidden"),
        "b.log": ("ignored", ".gitignore line 2"),
        "sub/x.tmp": ("ignored", "sub/.gitignore line 1"),
    }
    assert reasons(walked(tmp_path, FolderRules(gitignore=False, hidden=True))) == {}


def test_a_gitignore_that_is_not_followed_whole_says_so(tmp_path: Path):
    """Rules past 256 KiB did not hold, and nothing said so: what they leave out was attached."""
    write(tmp_path, a="", b="", c="")
    filler = "# " + "x" * 61 + "\n"
    (tmp_path / ".gitignore").write_text("/a\n" + filler * 4095 + "/b\n" + filler + "/c\n")
    found = reasons(walked(tmp_path))
    assert set(found) == {".gitignore", "a", "b"}
    assert found[".gitignore"] == ("refused", "only its first 4,097 lines (256 KiB) are followed")
    (tmp_path / ".gitignore").unlink()
    (tmp_path / ".gitignore").symlink_to("elsewhere")
    unread = reasons(walked(tmp_path))
    assert unread == {".gitignore": ("refused", "cannot be read: nothing is left out by it")}


def test_a_source_folder_called_build_comes_where_a_gitignore_decides(tmp_path: Path):
    """`build` was left out wherever it lay, also where it held the source and was checked in."""
    write(tmp_path, src__build__a="", build__b="")
    assert "src/build/a" not in walked(tmp_path)
    (tmp_path / ".gitignore").write_text("/build/\n")
    found = walked(tmp_path)
    assert found["src/build/a"].standing == "open"
    assert found["build"].reason == ".gitignore line 1, not scanned"


def test_hostile_things_are_named_and_not_touched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    here = tmp_path / "p"
    write(here, a="x")
    (tmp_path / "secret").write_text("s")
    (here / "out").symlink_to(tmp_path / "secret")
    (here / "way").symlink_to(tmp_path)
    (here / "in").symlink_to(here / "a")
    (here / "loop").symlink_to(here)
    (here / "broken").symlink_to("nowhere")
    os.mkfifo(here / "pipe")
    names = ["new\nline.py", "bidi\u202egnp.exe", "a\x1b[31m", "caf\udce9"]
    for name in names:
        (here / name).write_text("x")
    plug = socket.socket(socket.AF_UNIX)
    monkeypatch.chdir(here)  # a socket's path must be short
    plug.bind("plug")
    (here / "large").write_bytes(b"x" * 101)
    found = walked(here, limits=tiny(100))
    plug.close()
    assert reasons(found) == {
        "out": ("refused", "leads out of the folder"),
        "way": ("refused", "leads out of the folder"),
        "in": ("refused", "a link within the folder"),
        "loop": ("refused", "a link within the folder"),
        "broken": ("refused", "a link within the folder"),
        "pipe": ("refused", "a pipe, not a file"),
        "plug": ("refused", "a socket, not a file"),
        "large": ("large", "0.0 MB, over the limit of 25 MB"),
    }
    assert {path for path, one in found.items() if one.standing == "open"} == {"a", *names}


def test_a_device_is_refused():
    found = walked(Path("/dev"), FolderRules(hidden=True))
    assert found["null"].reason == "a device, not a file"


def test_forty_deep_and_more_comes_to_an_end(tmp_path: Path):
    deep = tmp_path
    for _ in range(DEEPEST + 5):
        deep = deep / "d"
    deep.mkdir(parents=True)
    found = walked(tmp_path)
    assert len(found) == DEEPEST + 1
    assert list(found.values())[-1].reason == "too deep, not scanned"


def test_a_closed_folder_is_named_and_the_rest_comes(tmp_path: Path):
    if os.geteuid() == 0:
        pytest.skip("nothing is closed to the administrator")
    write(tmp_path, closed__a="", open__b="")
    (tmp_path / "closed").chmod(0)
    found = walked(tmp_path)
    (tmp_path / "closed").chmod(0o700)
    assert found["closed"].reason == "cannot be read"
    assert "open/b" in found


def test_what_vanishes_during_the_walk_ends_nothing(tmp_path: Path):
    write(tmp_path, **{f"d{number}__a.py": "x" for number in range(20)})
    walk = FolderWalk(str(tmp_path), FolderRules(), AttachLimits())
    first = walk.more(0)
    for number in range(5, 20):
        (tmp_path / f"d{number}" / "a.py").unlink()
        (tmp_path / f"d{number}").rmdir()
    rest: list[FolderEntry] = []
    while batch := walk.more():
        rest += batch
    files = [one.path for one in rest if not one.folder]
    assert len(first) == 1
    assert len(files) == 5
    assert {one.reason for one in rest if one.standing != "open"} == {"cannot be read"}
    assert [one.reason for one in walk.texts(["d9/a.py", "d1/a.py"])] == ["gone since", ""]
    walk.close()


def test_what_files_hold_is_told_by_their_bytes(tmp_path: Path):
    content = {
        "utf8.txt": "ünï".encode(),
        "utf16.txt": "漢字".encode("utf-16"),
        "latin.txt": b"caf\xe9",
        "binary.py": b"\0\1\2",
        "late.py": b"x" * 9000 + b"\0",
        "a.pdf": b"%PDF\0",
    }
    for name, body in content.items():
        (tmp_path / name).write_bytes(body)
    walk = FolderWalk(str(tmp_path), FolderRules(), AttachLimits())
    told = {one.path: (one.text, one.standing) for one in walk.texts(list(content))}
    walk.close()
    assert told == {
        "utf8.txt": ("ünï", "open"),
        "utf16.txt": ("漢字", "open"),
        "latin.txt": (None, "open"),
        "binary.py": (None, "binary"),
        "late.py": (None, "binary"),
        "a.pdf": (None, "open"),
    }


def test_a_step_of_the_walk_is_a_part_of_it_only(tmp_path: Path):
    """Twenty thousand files came in one piece: nothing was shown before the end, and nothing could be cancelled."""
    for folder in range(40):
        (tmp_path / str(folder)).mkdir()
        for number in range(100):
            (tmp_path / str(folder) / f"{number}.py").touch()
    walk = FolderWalk(str(tmp_path), FolderRules(), AttachLimits())
    first = walk.more(0.01)
    walk.close()
    assert 0 < len(first) < 4000
