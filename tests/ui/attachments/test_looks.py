"""What a row says about its file."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

from workbench.domain.files.attachment import ARTIFACT_KINDS
from workbench.domain.secrets import FoundSecret
from workbench.domain.shown.attachment_view import AttachmentRow, DiskState
from workbench.domain.shown.envelope_view import RowState
from workbench.ui.attachments.looks import (
    badge_of,
    freeze_words,
    icon_of,
    is_stale,
    price_of_refresh,
    spoken,
    tip_of,
)
from workbench.ui.formatting import clock
from workbench.ui.look.icons import has_icon

KEY = FoundSecret("github", 3, 4, 8, "ghp_…")
ROW = AttachmentRow("a", "file", "docs/a.md", 365, 5, False, "sent", disk="same")


def test_what_needs_a_decision_comes_before_how_it_is_sent(qapp: object):
    changed = replace(ROW, state="compacted", disk="changed", changed_utc="")
    assert badge_of(changed)[:3] == ("warn", "clock", "changed on disk")
    assert badge_of(replace(changed, state="dropped")).words == "changed on disk"
    assert badge_of(replace(ROW, state="unreadable", disk="changed")).tone == "err"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"state": "dropped"}, "dropped: budget"),
        ({"state": "compacted"}, "shortened"),
        ({"pinned": True}, "pinned by you"),
        ({"pinned": True, "kind": "clipboard"}, "kept: the only copy"),
        ({"pinned": True, "state": "compacted"}, "shortened"),
        ({"disk": "gone"}, "file gone, copy kept"),
        ({"disk": "frozen"}, "frozen"),
        ({"secrets": (KEY,)}, "looks like a GitHub key (line 3)"),
        ({"secrets": (KEY,), "pinned": True}, "looks like a GitHub key (line 3)"),
        ({"secrets": (replace(KEY, replaced=True),)}, "replaced before sending: a GitHub key (line 3)"),
        ({"secrets": (KEY,), "state": "dropped"}, "dropped: budget"),
        ({"unread": ("9 rows left out",), "pinned": True}, "only part of the file was read"),
        ({"unread": ("9 rows left out",), "state": "dropped"}, "dropped: budget"),
        ({"state": "unseen"}, "the model can’t see it"),
        ({"state": "unseen", "pinned": True}, "the model can’t see it"),
        ({"disk": "frozen", "state": "stale"}, "stale"),
        ({}, "sent"),
    ],
)
def test_a_row_has_one_badge(qapp: object, changes: dict[str, object], words: str):
    assert badge_of(replace(ROW, **changes)).words == words  # type: ignore[arg-type]


def test_a_file_that_was_read_anew_says_so_and_what_can_be_done(qapp: object):
    """It went out in its old form, or in its new one without a word."""
    row = replace(ROW, disk="renewed", changed_utc="2026-01-02T14:02:00Z")
    badge = badge_of(row)
    assert (badge.tone, badge.icon, badge.brief) == ("info", "refresh", "refreshed")
    at = clock(row.changed_utc)
    assert badge.words == f"refreshed ({at})"
    assert badge_of(replace(row, state="dropped")).words == "dropped: budget"
    assert (is_stale(row), freeze_words(row)) == (False, "Keep the earlier copy")
    assert tip_of(row).endswith(
        f"It changed on disk at {at}. The next request has the new version; you can keep the earlier copy."
    )


def test_every_state_has_an_icon_and_a_word(qapp: object):
    """A tint alone says nothing to who does not see it."""
    states = [(state, disk) for state in get_args(RowState) for disk in get_args(DiskState)]
    badges = {one: badge_of(replace(ROW, state=one[0], disk=one[1])) for one in states}
    assert [one for one, badge in badges.items() if not (badge.words and has_icon(badge.icon))] == []


def test_every_kind_has_an_icon(qapp: object):
    icons = {kind: icon_of(replace(ROW, kind=kind)) for kind in ARTIFACT_KINDS}
    assert [kind for kind, icon in icons.items() if not has_icon(icon)] == []


def test_a_frozen_copy_asks_for_nothing(qapp: object):
    assert is_stale(replace(ROW, disk="changed"))
    assert is_stale(replace(ROW, state="stale", disk="unknown"))
    assert not is_stale(replace(ROW, state="stale", disk="frozen"))


def test_the_price_of_a_refresh_is_said_before_it_is_paid(qapp: object):
    priced = replace(ROW, refresh_tokens=2_723, refresh_usd=0.0008)
    assert price_of_refresh(priced) == "re-reads 2,723 cached, +$0.0008"
    assert price_of_refresh(replace(priced, refresh_usd=None)) == "re-reads 2,723 cached"
    assert price_of_refresh(replace(priced, refresh_tokens=0)) == "refresh is free: nothing cached"
    assert price_of_refresh(ROW) == ""


def test_a_screen_reader_hears_all_of_it(qapp: object):
    assert spoken(ROW) == "docs/a.md, 365 tokens, sent, priority 5, not pinned"
    assert spoken(replace(ROW, pinned=True)).endswith("pinned by you, priority 5, pinned")


def test_a_tooltip_has_the_whole_name_and_what_can_be_done(qapp: object):
    assert tip_of(ROW) == "docs/a.md\nsent"
    assert "F5" in tip_of(replace(ROW, disk="changed"))


def test_what_of_a_file_was_not_read_is_said_under_the_pointer(qapp: object):
    assert tip_of(replace(ROW, unread=("9 rows left out",))).splitlines()[-1] == "9 rows left out"


def test_a_picture_that_the_model_cannot_see_is_amber_and_says_what_to_do(qapp: object):
    """It was shown as sent, while only a line about it went out."""
    row = replace(ROW, kind="image", state="unseen")
    assert badge_of(row) == ("warn", "eye-off", "the model can’t see it", "not seen")
    assert tip_of(row).endswith("Choose a model with vision, or detach it.")


def test_a_key_is_spoken_of_under_the_pointer_whatever_the_badge_says(qapp: object):
    row = replace(ROW, secrets=(KEY,), disk="changed")
    assert "looks like a GitHub key (line 3)" in tip_of(row)
    assert badge_of(replace(ROW, secrets=(KEY,)))[:2] == ("warn", "key")
