"""Sections of what is attached: found by their words, told with their place, read once while they stay the same."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.turns import RENDERERS, artifact, turn_inputs, user, word_counter
from workbench.context.assemble import Assembly, assemble
from workbench.context.assembly.quotes import quoted_sections
from workbench.context.clean.guard import SecretGuard
from workbench.context.invariants import violations
from workbench.context.recall.rank import run_to_end
from workbench.domain.change import Built
from workbench.domain.recall import Wanted
from workbench.domain.settings.context_settings import ContextSettings, HistorySettings, SectionSettings
from workbench.engine.recall.finding import Recall, SectionIndex
from workbench.engine.recall.providers import AttachedSections, found_at_once, large_texts

FILLER = "It has many words about nothing in particular. " * 12
TEXT = "\n".join(f"# Part {n}\nThis one is about subject{n}. {FILLER}" for n in range(20))
TEXT = TEXT.replace("about subject7. ", "about subject7: the spare key lies under the stone. ")
SPEC = artifact("spec.md", TEXT)
RULES = ContextSettings(sections=SectionSettings(by_relevance=True))
ASKED = Wanted("talk", "Where is the spare key?", RULES, attached=(SPEC,), section_room=2000)


def test_the_section_that_fits_is_told_with_its_place_and_its_words():
    (found,) = run_to_end(AttachedSections(Recall()).finding(ASKED))
    assert (found.id, found.kind, found.artifact) == ("spec.md#L15-16", "retrieved", "spec.md")
    assert (found.place, found.speaker) == ("lines 15–16", "Part 7")
    assert found.text in TEXT
    assert "spare key" in found.text
    assert {word.word for word in found.words} == {"spare", "key"}


def test_what_stands_between_a_section_with_its_own_words_and_the_best_does_not_hide_it():
    """Two places from the best one a section without a word of the question fits better than another with one."""
    keyed = (0, 13, 19)
    text = TEXT
    for number in keyed:
        text = text.replace(f"about subject{number}. ", f"about subject{number}: another key. ")
    found = run_to_end(
        AttachedSections(Recall()).finding(replace(ASKED, attached=(artifact("spec.md", text),)))
    )
    assert [one.speaker for one in found] == ["Part 7", *(f"Part {number}" for number in keyed)]


def test_only_large_texts_that_may_be_shortened_are_looked_through_and_only_where_they_are_wanted():
    small, pasted = artifact("small.md", "spare key"), artifact("selection", TEXT, recoverable=False)
    off = replace(ASKED, settings=ContextSettings(), attached=(SPEC, small, pasted))
    assert large_texts(off) == ()
    assert large_texts(replace(off, settings=RULES)) == (SPEC,)
    chosen = replace(SPEC, by_relevance=True)
    assert large_texts(replace(off, attached=(chosen, small))) == (chosen,)


def test_texts_are_read_once_and_anew_when_they_change():
    index = SectionIndex()
    run_to_end(index.follow((SPEC,)))
    first = index.index
    more = artifact("more.md", TEXT)
    run_to_end(index.follow((SPEC, more)))
    assert index.index is first
    assert "more.md#L15-16" in index.sections
    run_to_end(index.follow((replace(SPEC, text=TEXT + "\nnew"), more)))
    assert index.index is not first
    assert len(index.texts) == 2


def test_texts_that_two_read_at_once_are_known_once():
    """Noted by both, they did not look like what is attached: all of them were read anew the next time."""
    index, texts = SectionIndex(), (SPEC, artifact("more.md", TEXT))
    for _ in zip(index.follow(texts), index.follow(texts), strict=False):
        pass
    first = index.index
    run_to_end(index.follow(texts))
    assert index.index is first
    assert index.texts == tuple((one.key, one.content_digest) for one in texts)


def test_messages_and_sections_come_together_the_best_first():
    rules = replace(RULES, history=HistorySettings(recall=True))
    wanted = replace(ASKED, settings=rules, history=(user("m1", "my spare key is blue"),), room=1000)
    found = found_at_once(wanted, Recall())
    assert {one.kind for one in found} == {"recalled", "retrieved"}
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)


def test_no_line_of_a_long_key_goes_out_in_a_section():
    """A slice of a key alone looks like nothing: what is quoted is cut from the text as it may be sent."""
    lines = [
        f"{n:02}" + "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJz"[n % 9 :] for n in range(50)
    ]
    key = "\n".join(("-----BEGIN RSA PRIVATE KEY-----", *lines, "-----END RSA PRIVATE KEY-----"))
    notes = "the server is described here\n" * 20
    after = "restart the zebra gateway after rotating it\n"
    spec = artifact("notes.md", f"# Notes\n{notes}{key}\n{after}" + "more notes follow here\n" * 90)
    question = "how to restart the zebra gateway after rotating?"
    found = found_at_once(replace(ASKED, question=question, attached=(spec,)), Recall())
    assert any(lines[-1] in one.text for one in found)
    inputs = turn_inputs(RULES, attached=(spec,), question=user("q", question), found=found)
    sendable, _ = SecretGuard("replace").replaced(inputs)
    sent = assemble(sendable, Assembly(word_counter(), RENDERERS))
    content = "\n".join(message.content for message in sent.messages)
    assert [line for line in lines if line in content] == []
    assert f"\n{after}" in content
    assert violations(Built(sendable, sent)) == ()
    marks = SecretGuard("warn").marks(inputs)
    (part,) = (one for one in found if after in one.text)
    assert [(one.kind, one.line, one.start) for one in marks[part.id]] == [("private_key", 1, 0)]


def test_every_piece_of_a_long_line_can_come_back_and_they_stand_in_its_order():
    items = [f'{{"id":{n},"note":"filler lorem"}},' for n in range(2000)]
    items[30] = items[1500] = '{"note":"the spare key lies under the quagga"},'
    rows = artifact("rows.json", "".join(items), by_relevance=True)
    found = found_at_once(replace(ASKED, attached=(rows,)), Recall())
    keyed = [one for one in found if "spare key" in one.text]
    assert len({one.id for one in keyed}) == 2
    inputs = turn_inputs(
        RULES, attached=(rows,), question=user("q", ASKED.question), found=tuple(keyed[::-1])
    )
    sent = assemble(inputs, Assembly(word_counter(), RENDERERS))
    assert {key for key, _ in quoted_sections(sent)} == {"rows.json"}
    assert [one.id.partition(".json")[2] for _, one in quoted_sections(sent)] == ["#L1-1", "#L1-1.32"]
