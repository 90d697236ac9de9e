"""An attachment as it is listed is a frozen value; what nobody knows about it is None, not 0."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from typing import get_args

import pytest

from workbench.domain.files.folder import FolderEntry, FolderRules
from workbench.domain.shown.attachment_view import (
    AttachmentRow,
    DiskState,
    FolderView,
    FollowedRow,
    Relevance,
)

ROW = AttachmentRow("docs/a.md", "file", "a.md", 410, 3, False, "compacted", "whole text", "short text")


def test_a_row_of_which_nothing_is_known_on_the_disk_promises_nothing():
    assert (ROW.disk, ROW.changed_utc, ROW.refresh_tokens, ROW.refresh_usd) == ("unknown", "", None, None)
    assert (ROW.content, ROW.text) == ("whole text", "short text")


def test_it_does_not_change():
    with pytest.raises(FrozenInstanceError):
        ROW.tokens = 0  # type: ignore[misc]


def test_what_can_become_of_a_file():
    assert set(get_args(DiskState)) == {
        "same",
        "changed",
        "renewed",
        "gone",
        "unreadable",
        "frozen",
        "unknown",
    }


# A look through a folder as a value: who has drawn some of it goes on from there.


def test_a_look_begins_empty_and_only_grows():
    view = FolderView(1, "/p")
    assert (view.entries, view.counts, view.rules, view.over) == ((), (), FolderRules(), False)
    more = replace(view, entries=(*view.entries, FolderEntry("a")))
    assert more.entries[: len(view.entries)] == view.entries


def test_a_followed_folder_has_nothing_new_at_first():
    assert FollowedRow("/p") == FollowedRow("/p", (), 0, True)


# What is shown of a question's relevance: nothing is suggested unless somebody says so.


def test_at_first_nothing_is_known_and_nothing_is_suggested():
    empty = Relevance()
    assert (dict(empty.shares), empty.suggestions, empty.open, empty.opinion) == ({}, (), False, None)
