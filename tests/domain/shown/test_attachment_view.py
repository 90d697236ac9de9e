"""An attachment as it is listed is a frozen value; what nobody knows about it is None, not 0."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import get_args

import pytest

from workbench.domain.shown.attachment_view import AttachmentRow, DiskState

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
