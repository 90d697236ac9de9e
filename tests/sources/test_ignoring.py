"""What .gitignore files leave out is what git would leave out."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.sources.folder_walk import Ignored, Steps

FILE, FOLDER = False, True
GIT = shutil.which("git")
NAMES = ("a", "b", "ab", "b.x", "c.x")
DEEPEST = 3
WITH_RULES = ("", "a", "a/b", "b")

parts = st.sampled_from(["a", "b", "*", "**", "*.x", "?", "[ab]", "a*", "c.x", "b.x", "\\!a", "[!a]"])
lines = st.builds(
    "".join,
    st.tuples(
        st.sampled_from(["", "", "!"]),
        st.sampled_from(["", "/"]),
        st.lists(parts, min_size=1, max_size=3).map("/".join),
        st.sampled_from(["", "/", " ", "\r"]),
    ),
)
files_of_rules = st.fixed_dictionaries(
    {"": st.lists(lines, min_size=1, max_size=4)},
    optional={folder: st.lists(lines, min_size=1, max_size=3) for folder in WITH_RULES[1:]},
)


@pytest.mark.parametrize(
    ("line", "path", "folder", "covered"),
    [
        ("*.log", "a.log", FILE, True),
        ("*.log", "deep/er/a.log", FILE, True),
        ("*.log", "a.log.md", FILE, False),
        ("out", "out", FOLDER, True),
        ("out/", "out", FILE, False),
        ("out/", "deep/out", FOLDER, True),
        ("/out", "out", FOLDER, True),
        ("/out", "deep/out", FOLDER, False),
        ("docs/*.html", "docs/a.html", FILE, True),
        ("docs/*.html", "docs/deep/a.html", FILE, False),
        ("docs/*.html", "deep/docs/a.html", FILE, False),
        ("**/cache/tmp", "cache/tmp", FOLDER, True),
        ("**/cache/tmp", "a/b/cache/tmp", FOLDER, True),
        ("**/one", "a/one", FILE, True),
        ("data[0-9]?", "data1x", FILE, True),
        ("\\#odd", "#odd", FILE, True),
        ("  ", "a", FILE, False),
        ("# a", "# a", FILE, False),
        ("/", "a", FOLDER, False),
        ("**", "a", FILE, True),
        ("a//b", "a/b", FILE, False),
        ("*.log   ", "a.log", FILE, True),
        ("*.log\r", "a.log", FILE, True),
        ("\ufeff*.log", "a.log", FILE, True),
        ("[", "[", FILE, False),
        ("!", "a", FILE, False),
    ],
)
def test_a_line_covers_what_git_would_leave_out(line: str, path: str, folder: bool, covered: bool):
    assert Ignored().with_file((), line).covers(tuple(path.split("/")), folder) == covered


@pytest.mark.parametrize(
    ("text", "path", "folder", "covered"),
    [
        ("*.log\n!keep.log", "keep.log", FILE, False),
        ("*.log\n!keep.log", "deep/keep.log", FILE, False),
        ("!keep.log\n*.log", "keep.log", FILE, True),
        ("*\n!*/\n!*.md", "docs", FOLDER, False),
        ("*\n!*/\n!*.md", "docs/a.md", FILE, False),
        ("*\n!*/\n!*.md", "docs/a.txt", FILE, True),
    ],
)
def test_a_line_with_an_exclamation_mark_brings_back(text: str, path: str, folder: bool, covered: bool):
    """Wanted files stayed out: such a line was passed over."""
    assert Ignored().with_file((), text).covers(tuple(path.split("/")), folder) == covered


@pytest.mark.parametrize(
    ("line", "path", "folder", "covered"),
    [
        ("build/**", "build/deep/a.o", FILE, True),
        ("build/**", "build/deep", FOLDER, True),
        ("build/**", "build", FOLDER, False),
        ("build/**", "docs/build", FOLDER, False),
        ("build/**\n!build/keep.md", "build/keep.md", FILE, False),
        ("docs/**/tmp", "docs/tmp", FOLDER, True),
        ("docs/**/tmp", "docs/a/b/tmp", FILE, True),
        ("docs/**/tmp", "tmp", FILE, False),
        ("docs/**/tmp", "src/docs/tmp", FILE, False),
    ],
)
def test_two_asterisks_stand_for_any_number_of_folders(line: str, path: str, folder: bool, covered: bool):
    """Ignored files were attached, and a folder of the same name elsewhere was not: only `**/` in front was known."""
    assert Ignored().with_file((), line).covers(tuple(path.split("/")), folder) == covered


def test_a_file_holds_below_the_folder_it_lies_in():
    rules = Ignored().with_file((), "c\n").with_file(("sub",), "/a\nb\n!c\n")
    assert rules.covers(("sub", "a"), FILE)
    assert rules.covers(("sub", "deep", "b"), FILE)
    assert not rules.covers(("sub", "c"), FILE)
    assert rules.covers(("c",), FILE)
    assert not rules.covers(("a",), FILE)
    assert not rules.covers(("b",), FILE)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folders `a` and `b` in one another, with files of every name in each."""
    if GIT is None:
        pytest.skip("git is not installed")
    root = tmp_path_factory.mktemp("repository")
    subprocess.run([GIT, "init", "-q", str(root)], check=True, env=_environment(root))
    _fill(root, 0)
    return root


def _fill(folder: Path, depth: int) -> None:
    for name in NAMES:
        if name in ("a", "b") and depth < DEEPEST:
            (folder / name).mkdir()
            _fill(folder / name, depth + 1)
        else:
            (folder / name).touch()


def _environment(root: Path) -> dict[str, str]:
    """Nobody's own settings of git have a say."""
    return {
        "HOME": str(root),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "PATH": os.defpath,
    }


def _left_out_by_git(root: Path) -> set[str]:
    names = "\0".join(path.relative_to(root).as_posix() for path in _files(root))
    command = [str(GIT), "-C", str(root), "check-ignore", "--no-index", "-z", "--stdin"]
    done = subprocess.run(command, input=names, capture_output=True, text=True, env=_environment(root))
    return set(done.stdout.split("\0")) - {""}


def _files(root: Path) -> list[Path]:
    hidden = (root / ".git", *(root / folder / ".gitignore" for folder in WITH_RULES))
    return [path for path in root.rglob("*") if path.is_file() and not set(hidden) & {path, *path.parents}]


def _left_out_by_us(root: Path, steps: Steps, above: Ignored) -> set[str]:
    """As a folder is walked: what is in a folder that is left out is left out."""
    here = root.joinpath(*steps)
    rules = here / ".gitignore"
    known = above.with_file(steps, rules.read_bytes().decode()) if rules.exists() else above
    found: set[str] = set()
    for path in here.iterdir():
        at = (*steps, path.name)
        if path.name in (".git", ".gitignore"):
            continue
        if known.covers(at, path.is_dir()):
            inside = _files(path) if path.is_dir() else [path]
            found |= {one.relative_to(root).as_posix() for one in inside}
        elif path.is_dir():
            found |= _left_out_by_us(root, at, known)
    return found - {f"{folder}/.gitignore".lstrip("/") for folder in WITH_RULES}


@settings(max_examples=60, deadline=None)
@given(written=files_of_rules)
def test_any_set_of_files_leaves_out_what_git_leaves_out(repository: Path, written: dict[str, list[str]]):
    for folder in WITH_RULES:
        text = "".join(f"{line}\n" for line in written.get(folder, ()))
        (repository / folder / ".gitignore").write_bytes(text.encode())
    assert _left_out_by_us(repository, (), Ignored()) == _left_out_by_git(repository)
