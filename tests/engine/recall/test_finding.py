"""What fits a question: found in the history, told with its words, as much as can be of use."""

from __future__ import annotations

import inspect
from dataclasses import replace

import pytest

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.steps_taken import lines_run
from tests.fakes.turns import assistant, user
from workbench.context.recall.near_words import NearWords, NearWordsBroken
from workbench.domain.recall import Wanted
from workbench.domain.settings.context_settings import ContextSettings, HistorySettings, SectionSettings
from workbench.engine.conversation import Conversation
from workbench.engine.recall.finding import Finding, Recall, most_of, wanted_of, wants_past

FILLER = [
    one
    for n in range(20)
    for one in (user(f"u{n}", f"Tell me about river {n}"), assistant(f"a{n}", f"It is {n} miles long"))
]
TALK = (user("fact", "The spare key lies under the blue stone"), assistant("ok", "Noted."), *FILLER)
RULES = ContextSettings(model=WORD_MODEL.name, history=HistorySettings(recall=True))


def wanted(question: str, settings: ContextSettings = RULES, **changes: object) -> Wanted:
    talk = Conversation("talk", turn=21, history=TALK, times={"fact": "2026-01-02T03:04:05Z"})
    found = wanted_of(talk, question, settings, WORD_MODEL)
    return replace(found, **changes)  # type: ignore[arg-type]  # a test's own wishes


def test_the_message_that_fits_comes_first_with_its_words_and_its_time():
    best = Recall().found(wanted("Where is the spare key?"))[0]
    assert (best.id, best.kind, best.said_utc) == ("fact", "recalled", "2026-01-02T03:04:05Z")
    assert {word.word for word in best.words} == {"spare", "key"}
    assert sum(word.part for word in best.words) == pytest.approx(best.score)


@pytest.mark.parametrize(
    ("question", "settings"),
    [("", RULES), (" \n", RULES), ("the", RULES), ("Where is the spare key?", ContextSettings())],
)
def test_nothing_is_found_where_nothing_is_asked_or_wanted(question: str, settings: ContextSettings):
    assert Recall().found(wanted(question, settings)) == ()


def test_without_a_room_of_its_own_only_what_fits_well_comes():
    """A message that merely stands near the answer would fill the room of a log for nothing."""
    modest = [one.id for one in Recall().found(wanted("Where is the spare key?"))]
    asked = replace(RULES, history=HistorySettings(recall=True, recall_tokens=500))
    ample = [one.id for one in Recall().found(wanted("Where is the spare key?", asked))]
    assert modest == ["fact", "ok"]
    assert ample[:2] == modest
    assert len(ample) > len(modest)


def test_a_damaged_table_of_near_words_costs_only_the_near_words():
    def broken() -> NearWords:
        raise NearWordsBroken("damaged")

    assert Recall(broken).found(wanted("Where is the spare key?"))[0].id == "fact"


def test_the_table_is_read_once_and_only_when_needed():
    reads: list[int] = []
    recall = Recall(lambda: reads.append(1))
    assert reads == []
    recall.found(wanted("key"))
    recall.found(wanted("spare key"))
    assert reads == [1]


def test_chats_that_were_not_asked_for_long_are_forgotten():
    recall = Recall()
    for number in range(9):
        recall.found(wanted("key", chat=f"chat{number}"))
    recall.forget("chat8")
    assert recall.found(wanted("key", chat="chat8"))[0].id == "fact"


def test_how_much_is_looked_at_follows_the_room():
    assert (most_of(0), most_of(8000), most_of(10**9)) == (128, 1000, 5000)
    assert wants_past(wanted("key"))
    assert wants_past(wanted("key", replace(ContextSettings(), sections=SectionSettings(by_relevance=True))))
    assert not wants_past(wanted("key", ContextSettings()))
    capped = replace(RULES, history=HistorySettings(recall=True, max_tokens=77))
    assert wanted("key", capped).room == 77


def test_of_a_very_long_question_its_ends_are_looked_at_and_each_slice_is_short():
    """Every match compared with all words of the question stood the window still for seconds."""
    pasted = "river " + "stone water " * 50_000
    long = wanted(f"Where is the spare key?\n{pasted}")
    assert len(long.question) < 1_600
    assert wanted(f"{pasted}\nWhere is the spare key?").question.endswith("Where is the spare key?")
    words = " ".join(f"word{n}" for n in range(200))
    said = tuple(user(f"m{n}", f"word{n % 200} and {n}") for n in range(300))
    steps = Recall().finding(replace(long, question=words, history=said, room=3000))
    assert longest_slice(steps) < 90_000


def longest_slice(steps: Finding) -> int:
    """The most lines that are run in one slice."""
    longest = 0
    while True:
        longest = max(longest, lines_run(lambda: next(steps, None)))
        if inspect.getgeneratorstate(steps) == inspect.GEN_CLOSED:
            return longest
