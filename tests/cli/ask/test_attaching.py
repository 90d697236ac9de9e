"""What `ask --attach` attaches: files of folders and patterns by their paths, each read once, all of it or nothing."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, cast

import pytest

from tests.cli.ask.test_command import Capture, Setup
from tests.fakes.chat_model import words
from tests.fakes.made_pdf import made_pdf
from workbench.cli.ask import question
from workbench.cli.ask.question import may_attach
from workbench.cli.terminal import Terminal
from workbench.domain.files.attached import FetchedPage
from workbench.domain.secrets import Secret
from workbench.sources.attach import FileAttachments
from workbench.sources.extract.process import ChildExtractor


class CountedPages:
    """One page, and how often it was fetched → PageFetcher."""

    def __init__(self) -> None:
        self.fetched: Counter[str] = Counter()

    async def fetch(self, url: str) -> FetchedPage:
        """That page."""
        self.fetched[url] += 1
        return FetchedPage(url, b"words of a page", "text/plain")


PAGES = CountedPages()


@pytest.fixture
def setup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Setup:
    """A program in a folder with real files."""
    monkeypatch.chdir(tmp_path)
    for name in ("src/a0.py", "src/a1.py", "src/a.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"# {name}\n" + "some more words of it\n" * 80)
    (tmp_path / "notes.md").write_text("# One\nx\n\n## Why?\nbecause\n")
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7\nnot at all")
    made = Setup(*[words("So.")] * 4)
    made.files = cast(Any, FileAttachments(ChildExtractor(), pages=PAGES))
    return made


def attached(setup: Setup) -> dict[str, Any]:
    (kept,) = (one for one in setup.access.store._chats.values() if one.chat.deleted_utc is None)
    return {one.key: one for one in kept.attached}


@pytest.mark.parametrize("given", ["src/*.py", "src", "."])
def test_a_priority_may_be_of_a_file_that_a_folder_or_a_pattern_brings(setup: Setup, given: str):
    assert setup.ask("Q", "--attach", given, "--priority", "src/a0.py=2", "--allow-drop", "--yes") == 0
    held = attached(setup)
    assert (held["src/a0.py"].priority, held["src/a1.py"].priority) == (2, 5)


def test_a_length_may_be_of_a_file_that_a_folder_brings(setup: Setup):
    assert setup.ask("Q", "--attach", "src", "--shorten", "src/a.md=100", "--allow-drop") == 0
    assert attached(setup)["src/a.md"].most_tokens == 100


def test_who_names_a_file_means_the_parts_of_it_that_are_attached(setup: Setup):
    assert setup.ask("Q", "--attach", "notes.md#Why?", "--priority", "notes.md=3") == 0
    assert attached(setup)["notes.md#Why?"].priority == 3


def test_a_priority_of_what_the_folder_does_not_bring_is_refused(setup: Setup, capsys: Capture):
    assert setup.ask("Q", "--attach", "src", "--priority", "src/gone.py=2") == 1
    assert "src/gone.py is not attached" in capsys.readouterr().err
    assert setup.model.requests == []


def test_what_is_covered_is_said_and_the_question_is_asked(setup: Setup, capsys: Capture):
    assert setup.ask("Q", "--attach", "notes.md", "--attach", "notes.md#One") == 0
    assert "notes.md#One (it is part of notes.md, which is attached)" in capsys.readouterr().err
    assert list(attached(setup)) == ["notes.md"]


def test_a_page_is_fetched_once(setup: Setup):
    PAGES.fetched.clear()
    assert setup.ask("Q", "--attach", "https://example.org/a") == 0
    assert PAGES.fetched == {"https://example.org/a": 1}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("nothing*.py", "no file fits this pattern"), ("x[z-a].txt", "no file fits this pattern"),
        ("broken.pdf", "broken.pdf"), ("notes.md#Nope", "there is no part"), ("gone.md", "there is no such file"),
    ],
)  # fmt: skip
def test_what_cannot_be_attached_leaves_no_chat_and_sends_nothing(
    setup: Setup, capsys: Capture, given: str, said: str
):
    assert setup.ask("Q", "--attach", "notes.md", "--attach", given, "--save-preset", "mine") == 1
    assert said in capsys.readouterr().err
    assert setup.model.requests == []
    # Not in the bin either, with a copy of what was attached: somebody was told that nothing was kept.
    assert list(setup.access.store._chats) == []


def test_a_chat_that_was_there_is_left_as_it_was(setup: Setup):
    assert setup.ask("One?", "--attach", "notes.md#Why?") == 0
    before = attached(setup)
    files = ("--attach", "notes.md", "--attach", "src", "--attach", "broken.pdf")
    assert setup.ask("Two?", "--chat", "chat1", *files) == 1
    assert attached(setup) == before


def test_what_may_bring_a_file(setup: Setup):
    assert may_attach("src/*.py", "src/a0.py")
    assert may_attach("src", "src/a0.py")
    assert may_attach("notes.md#One", "notes.md")
    assert not may_attach("notes.md", "other.md")


@pytest.fixture
def papers(setup: Setup, tmp_path: Path) -> Setup:
    """A folder of papers, of which one is a scan, one locked and one broken."""
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "good.pdf").write_bytes(made_pdf(["Good words"]))
    (folder / "scan.pdf").write_bytes(made_pdf(["", ""], drawn=frozenset({1, 2})))
    (folder / "locked.pdf").write_bytes(made_pdf(["Secret words"], password="sesame"))
    return setup


def test_a_broken_file_in_a_folder_is_a_file_that_was_wanted(setup: Setup, capsys: Capture, tmp_path: Path):
    """Named with its folder before it, it was left out with a line, and the question was sent without it."""
    (tmp_path / "src/broken.pdf").write_bytes(b"%PDF-1.7\nnot at all")
    assert setup.ask("Q", "--attach", "notes.md", "--attach", "src/broken.pdf") == 1
    assert "src/broken.pdf: it is a damaged PDF" in capsys.readouterr().err
    assert setup.model.requests == []


@pytest.mark.parametrize("given", ["papers", "papers/*.pdf"])
def test_what_cannot_be_read_in_a_folder_is_refused_with_the_list_and_what_helps(
    papers: Setup, capsys: Capture, given: str
):
    assert papers.ask("Q", "--attach", given) == 1
    said = capsys.readouterr().err
    assert "scan.pdf: its 2 pages are pictures without text" in said
    assert "locked.pdf: it is a PDF with a password" in said
    for way in ("--allow-drop", "--pages-as-pictures", "--password-file"):
        assert way in said
    assert papers.model.requests == []


def test_what_may_be_dropped_is_left_out_and_named(papers: Setup, capsys: Capture):
    assert papers.ask("Q", "--attach", "papers", "--allow-drop") == 0
    assert list(attached(papers)) == ["papers/good.pdf"]
    assert "scan.pdf" in capsys.readouterr().err


def test_passwords_from_a_file_and_pages_as_pictures_leave_nothing_out(papers: Setup, tmp_path: Path):
    (tmp_path / "words").write_text("wrong\nsesame\n")
    more = ("--password-file", "words", "--pages-as-pictures", "--set", "context_window=100000")
    assert papers.ask("Q", "--attach", "papers", *more) == 0
    held = attached(papers)
    assert "Secret words" in held["papers/locked.pdf"].text
    assert [one.kind for one in held.values()].count("image") == 2
    kept = repr(papers.access.store._chats)
    assert "sesame" not in kept


def test_a_file_without_a_password_in_it_is_wrong_usage(papers: Setup, tmp_path: Path):
    (tmp_path / "words").write_text("\n")
    assert papers.ask("Q", "--attach", "papers", "--password-file", "words") == 2
    assert papers.ask("Q", "--attach", "papers", "--password-file", "gone") == 2


def test_on_a_terminal_the_password_is_asked_for_once(papers: Setup, monkeypatch: pytest.MonkeyPatch):
    asked: list[str] = []

    class Typing(Terminal):
        """Somebody who knows the password."""

        def ask(self, prompt: str) -> Secret:
            """What is typed."""
            asked.append(prompt)
            return Secret.of_text("sesame")

    monkeypatch.setattr(question, "find_terminal", Typing)
    files = ("--attach", "papers/locked.pdf", "--attach", "papers/good.pdf")
    assert papers.ask("Q", *files) == 0
    assert asked == ["Password of papers/locked.pdf"]
    assert "Secret words" in attached(papers)["papers/locked.pdf"].text
