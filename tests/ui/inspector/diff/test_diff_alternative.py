"""The cheaper way where a changed file broke the prefix."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.requests_shown import scripted_state
from tests.fakes.sample_state import sample_diff
from workbench.engine.intents import ChangeSettings
from workbench.ui.inspector.diff.body import breaking_file, freezing, freezing_words


def test_freezing_keeps_the_copies_that_the_cache_knows_and_can_be_taken_back():
    _, chat = scripted_state()
    step = freezing(chat, sample_diff())
    assert step is not None
    assert step.title == "Freeze docs/api.md"
    frozen = replace(chat.chat.settings, freshness="freeze")
    assert step.do == (ChangeSettings(chat.chat.id, frozen, chat.chat.settings),)
    assert step.undo == (ChangeSettings(chat.chat.id, chat.chat.settings, frozen),)


def test_its_words_say_what_stays_and_where_the_new_text_goes():
    assert freezing_words(sample_diff()) == (
        "The library keeps its old copy: 4,205 tokens stay cached. The new text is added after History."
    )


def test_there_is_no_other_way_where_no_file_broke_the_prefix_of_the_next_request():
    diff = sample_diff()
    assert breaking_file(diff) is diff.causes[0]
    assert breaking_file(replace(diff, change="extended")) is None
    assert breaking_file(replace(diff, after=diff.before)) is None
    attached = replace(diff, causes=(replace(diff.causes[2], breaks=True),))
    assert breaking_file(attached) is None


def test_what_is_frozen_already_is_not_offered_again():
    _, chat = scripted_state()
    frozen = replace(chat, chat=replace(chat.chat, settings=replace(chat.chat.settings, freshness="freeze")))
    assert freezing(frozen, sample_diff()) is None
