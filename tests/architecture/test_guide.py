"""The guide and the README: short, every page in the list, every link leads somewhere, every command and key exists."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import get_args

import pytest

from draw_guide import PICTURES, guide_in, shortcuts, shortcuts_page
from strings import Shown
from tests.architecture.source_tree import ROOT
from tests.architecture.test_words import given_up
from workbench.cli.main import COMMANDS, build_parser
from workbench.domain.guide import GuidePage
from workbench.files.language import LANGUAGES
from workbench.sources.resources import shipped_guide
from workbench.ui.commands import specs
from workbench.ui.dialogs.shortcut_list import in_panes

GUIDE = ROOT / "resources" / "guide"
FILES = (*sorted(GUIDE.glob("*.md")), ROOT / "README.md")
MOST_PAGE_LINES, MOST_README_LINES, MOST_PICTURE_BYTES = 90, 150, 1_000_000
LINK = re.compile(r"\]\(([^)]+)\)")
CODE = re.compile(r"```.*?```|`[^`]*`", re.DOTALL)
INLINE = re.compile(r"`(workbench [^`\n]+)`")
KEYS = re.compile(
    r"(?<![\w+])(?:(?:Ctrl|Alt|Shift)\+)+(?:[A-Z0-9/.,]|Return|Left|Right)(?!\w)|\bF(?:1[0-2]|[1-9])\b"
)


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_the_readme_and_each_page_are_short():
    lengths = {name_of(path): len(text_of(path).splitlines()) for path in FILES}
    derived = {"resources/guide/shortcuts.md", "resources/guide/promises.md"}
    assert lengths.pop("README.md") <= MOST_README_LINES
    assert {
        name: lines for name, lines in lengths.items() if lines > MOST_PAGE_LINES and name not in derived
    } == {}


def test_every_page_is_in_the_list_by_its_first_heading():
    """A page that the list does not name could not be linked to from the window."""
    assert [page.name for page in shipped_guide()] == [name for name in get_args(GuidePage) if name]
    assert all(page.title != page.name for page in shipped_guide())


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_every_link_leads_somewhere(path: Path):
    links = LINK.findall(CODE.sub("", text_of(path)))
    assert [link for link in links if not (path.parent / link).is_file()] == []


def test_pages_link_to_pages_and_to_their_own_pictures_only():
    """The window opens nothing else from a page, and a wheel has nothing else beside it."""
    links = {link for path in FILES[:-1] for link in LINK.findall(CODE.sub("", text_of(path)))}
    assert [link for link in links if not re.fullmatch(r"[a-z]+\.md|pictures/[a-z-]+\.png", link)] == []


def test_every_picture_is_drawn_by_the_command_used_and_small():
    drawn = {picture.file for picture in PICTURES}
    for language in LANGUAGES:
        there = {
            picture.path(language) for picture in PICTURES if picture.path(language).is_relative_to(GUIDE)
        }
        assert set((guide_in(language) / "pictures").glob("*")) == there
        assert sum(path.stat().st_size for path in there) < MOST_PICTURE_BYTES
    used = {
        (path.parent / link).resolve()
        for path in FILES
        for link in LINK.findall(text_of(path))
        if link.endswith(".png")
    }
    assert {(ROOT / file).resolve() for file in drawn} == used


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_list_of_shortcuts_is_the_programs_own(language: str):
    """`python packaging/draw_guide.py shortcuts` writes it."""
    assert text_of(shortcuts_page(language)) == shortcuts(language)


FENCED = re.compile(r"```[^`]*```|^    \S[^\n]*$", re.MULTILINE)


@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != "en"])
def test_a_language_has_every_page_with_its_commands_pictures_and_links(language: str):
    def bones(path: Path) -> dict[str, list[str]]:
        text = text_of(path)
        kept = {
            "code": FENCED,
            "links": re.compile(r"\]\([^)]*\)"),
            "heads": re.compile(r"^#+ ", re.MULTILINE),
        }
        found = {name: sign.findall(text) for name, sign in kept.items()}
        return {
            **found,
            "links": sorted(found["links"]),
            "rows": [str(len(re.findall(r"^\|", text, re.MULTILINE)))],
        }

    english = {path.name: path for path in GUIDE.glob("*.md")}
    assert {path.name for path in (GUIDE / language).glob("*.md")} == set(english)
    different = [name for name, path in english.items() if bones(GUIDE / language / name) != bones(path)]
    assert different == []


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_no_form_that_was_given_up_is_in_it(path: Path):
    lines = enumerate(text_of(path).splitlines(), 1)
    assert given_up(Shown(name_of(path), number, CODE.sub("", line)) for number, line in lines) == []


def test_every_test_that_is_named_exists():
    """What a page says cannot happen is tried; a test that was renamed or removed would leave a mere claim."""
    files = list((ROOT / "tests").rglob("test_*.py"))
    tests = "".join(text_of(path) for path in files)
    named = {name for path in FILES for name in re.findall(r"`(test_\w+)`", text_of(path))}
    known = {path.stem for path in files}
    assert [name for name in sorted(named - known) if f"def {name}(" not in tests] == []


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_every_command_that_is_only_named_is_one_that_the_program_takes(path: Path):
    parser, names = build_parser(COMMANDS), {command.name for command in COMMANDS}
    for command in INLINE.findall(text_of(path)):
        words = shlex.split(command)[1:]
        if len(words) > 1 or words[0] not in names:
            parser.parse_args(words)


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_every_key_that_is_named_does_something(path: Path):
    known = {key for spec in specs() for key in (spec.shortcut, spec.also)}
    known |= {key for _, key, _ in in_panes()}
    assert sorted(set(KEYS.findall(CODE.sub("", text_of(path)))) - known) == []
