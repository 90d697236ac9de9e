"""A folder's entries in words: what they cost, why one cannot be ticked, and what adding would do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.sample_envelope import sample_view
from tests.ui.dialogs.folder.test_nodes import entries, found, tree
from workbench.domain.files.folder import FileCount, FolderEntry, Standing
from workbench.domain.shown.attachment_view import FolderView
from workbench.ui.dialogs.folder.nodes import (
    Tree,
    chosen_of,
    kind_chips,
    note_of,
    progress_of,
    tokens_of,
    verdict_of,
)

GOING, OVER = FolderView(1, "/p", listed=True), FolderView(1, "/p", listed=True, over=True)


def test_a_folder_says_at_least_until_all_is_counted_and_about_where_it_is_guessed(qapp):
    made = tree(1000)
    assert tokens_of(found(made, "src")) == ""
    made.count([FileCount("src/a.py", 1200)])
    assert tokens_of(found(made, "src")) == "≥ 1,200"
    made.count([FileCount("src/b.py", 34, exact=False)])
    assert (tokens_of(found(made, "src")), tokens_of(found(made, "src/b.py"))) == ("≈ 1,234", "≈ 34")
    assert (chosen_of(found(made, "src")), chosen_of(found(made, "src/a.py"))) == ("≈ 34", "")


@pytest.mark.parametrize(
    ("standing", "reason", "badge", "words"),
    [
        ("refused", "leads out of the folder", "refused", "leads out of the folder"),
        ("large", "31.0 MB, over the limit of 25 MB", "too large", "31.0 MB, over the limit of 25 MB"),
        ("binary", "binary", "", "binary, not text"),
        ("ignored", ".gitignore line 2", "", ".gitignore line 2"),
        ("hidden", "hidden", "", "hidden"),
    ],
)
def test_what_cannot_be_ticked_says_why(qapp, standing: Standing, reason: str, badge: str, words: str):
    made = Tree("p")
    made.add([FolderEntry("x", "other", standing=standing, reason=reason)])
    note = note_of(found(made, "x"), GOING)
    assert (note.badge, note.words) == (badge, words)


def test_notes_of_folders_and_files(qapp):
    made = tree(100)
    made.add([FolderEntry(".env", standing="ignored", reason=".gitignore line 1"), *entries("a.pdf")])
    made.set_attached(frozenset({"docs/c.md"}))
    made.count([FileCount("src/a.py", 200)])
    assert note_of(made.root, OVER).words == "5 files, 1 entry ignored or refused"
    assert note_of(found(made, "docs"), OVER).words == "1 file, c.md attached already"
    assert note_of(found(made, "docs/c.md"), OVER).badge == "attached already"
    assert note_of(found(made, "src/a.py"), OVER).words == "more than is free, so left off"
    part = note_of(found(made, "src"), GOING)
    assert (part.words, part.part) == ("1 of 2 files", 0.5)
    assert note_of(found(made, "a.pdf"), GOING).words == "10 bytes, counted when chosen"
    made.tick(found(made, "a.pdf"), True)
    assert note_of(found(made, "a.pdf"), GOING).words == "10 bytes, being read"
    assert note_of(found(made, "src/b.py"), OVER).words == "10 bytes, not counted"


def test_progress_and_chips(qapp):
    assert progress_of(replace(GOING, counted=13, to_count=31))[:2] == ("13 of 31", "files counted")
    assert progress_of(FolderView(1, "/p", entries=tuple(entries("a", "b"))))[:2] == ("2", "entries found")
    assert progress_of(FolderView(1, "/p", problem="Gone.", over=True)) == ("Not scanned", "Gone.", 0.0)
    assert kind_chips({"log": 19, "code": 7, "text": 0}) == [("code", "Code 7"), ("log", "Logs 19")]


def test_the_verdict_follows_the_marks_of_the_request(qapp):
    view = sample_view()
    assert view.threshold_tokens is not None
    room = view.threshold_tokens - view.total_tokens
    kept = verdict_of(view, room)
    assert (kept.word, kept.line, kept.tone) == (
        "cache kept",
        f"0 under trim at {view.threshold_tokens:,}",
        "ok",
    )
    trims = verdict_of(view, room + 5)
    assert trims.tone == "warn"
    assert trims.line == f"5 over trim at {view.threshold_tokens:,}"
    assert trims.word.startswith("trims from turn")
    over = verdict_of(view, view.free_tokens + 7)
    assert (over.word, over.tone) == ("over by 7", "err")
    assert verdict_of(None, 5).tone == "t2"
    assert verdict_of(replace(view, threshold_tokens=None, cached_tokens=None), 0).word == "fits"
