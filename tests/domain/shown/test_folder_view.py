"""A look through a folder as a value: who has drawn some of it goes on from there."""

from __future__ import annotations

from dataclasses import replace

from workbench.domain.files.folder import FolderEntry, FolderRules
from workbench.domain.shown.attachment_view import FolderView, FollowedRow


def test_a_look_begins_empty_and_only_grows():
    view = FolderView(1, "/p")
    assert (view.entries, view.counts, view.rules, view.over) == ((), (), FolderRules(), False)
    more = replace(view, entries=(*view.entries, FolderEntry("a")))
    assert more.entries[: len(view.entries)] == view.entries


def test_a_followed_folder_has_nothing_new_at_first():
    assert FollowedRow("/p") == FollowedRow("/p", (), 0, True)
