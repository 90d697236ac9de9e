"""Which attachments are chips, how they look, how many fit."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.sample_state import sample_attachments
from workbench.domain.secrets import FoundSecret
from workbench.ui.chat.composer.frame import chip_words, chips_of, how_many_fit, strongest

ROWS = tuple(
    replace(row, state="reference") if row.state == "compacted" else row for row in sample_attachments()
)
SPEC, API, AUTH, LOG = ROWS


def test_the_chips_are_those_of_the_picture():
    assert [row.name for row in chips_of(ROWS)] == [
        "src/auth.py",
        "logs/big.log",
        "docs/api.md",
    ]


def test_what_stands_quietly_in_the_library_is_no_news():
    assert chips_of((SPEC, replace(API, disk="frozen"))) == ()
    assert chips_of((replace(SPEC, disk="gone"),)) != ()


def test_a_file_of_the_library_that_was_read_anew_has_a_chip_again(qapp: object):
    renewed = replace(SPEC, state="reference", disk="renewed")
    assert chips_of((renewed,)) == (renewed,)
    assert chip_words(renewed).word == "refreshed"


def test_what_is_attached_and_shortened_keeps_its_chip(qapp: object):
    short = replace(AUTH, state="compacted")
    assert chips_of((short,)) == (short,)
    assert chip_words(short) == ("plain", "6,120", "shortened")


def test_how_chips_look(qapp: object):
    assert chip_words(AUTH) == ("plain", "6,120", "")
    assert chip_words(LOG) == ("out", "18,800", "left out")
    assert chip_words(API) == ("stale", "365", "changed")
    assert chip_words(replace(AUTH, pinned=True)).look == "pinned"
    assert chip_words(replace(AUTH, disk="unreadable")).word == "unreadable"
    assert chip_words(replace(AUTH, state="excluded")).word == "left out by you"
    assert chip_words(replace(AUTH, disk="gone")).word == "gone"
    assert chip_words(replace(AUTH, state="unseen", pinned=True)) == (
        "unseen",
        "6,120",
        "not seen by the model",
    )


def test_the_strongest_look_is_the_one_that_must_be_seen():
    assert strongest(["plain", "stale", "pinned"]) == "stale"
    assert strongest(["stale", "out"]) == "out"
    assert strongest([]) == "plain"


def test_all_fit_or_some_and_the_one_that_counts():
    assert how_many_fit([100, 100, 100], 60, 312, 6) == 3
    assert how_many_fit([100, 100, 100], 60, 311, 6) == 2
    assert how_many_fit([100, 100, 100], 60, 272, 6) == 2
    assert how_many_fit([100, 100, 100], 60, 271, 6) == 1
    assert how_many_fit([100, 100], 60, 50, 6) == 0
    assert how_many_fit([], 60, 50, 6) == 0


@given(st.lists(st.floats(20, 200), max_size=12), st.floats(0, 900))
def test_what_is_shown_never_needs_more_room_than_there_is(widths: list[float], room: float):
    fitting = how_many_fit(widths, 60, room, 6)
    used = sum(widths[:fitting]) + 6 * max(0, fitting - 1)
    if fitting < len(widths):
        used += 60 + 6 if fitting else 60
    assert used <= max(room, 60)


def test_a_key_in_a_file_stands_on_its_chip(qapp: object):
    key = FoundSecret("github", 3, 4, 8, "ghp_…")
    assert chip_words(replace(AUTH, secrets=(key,))) == ("secret", "6,120", "holds a key")
    assert chip_words(replace(AUTH, secrets=(replace(key, replaced=True),))) == (
        "plain",
        "6,120",
        "key replaced",
    )
    assert chip_words(replace(LOG, secrets=(key,))).look == "out"
