"""The middle of the payload page."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.requests_shown import AUTH, sent_view, view_of
from tests.fakes.sample_envelope import sample_view
from workbench.domain.request import WireForm
from workbench.domain.shown.envelope_view import EnvelopeView, RowKey
from workbench.ui.inspector.payload.reader import Check, Found, PayloadFoot, PayloadReader, foot_words

DIGEST = "a91c03d7" + "0" * 56


def reader(qtbot, view: EnvelopeView | None = None) -> PayloadReader:
    made = PayloadReader()
    qtbot.addWidget(made)
    made.resize(752, 500)
    made.show()
    request = view or sample_view()
    made.show_request(request, request.wire(), "messages")
    return made


def test_each_writing_is_the_whole_request(qtbot):
    view = sample_view()
    form = view.wire()
    made = reader(qtbot, view)
    assert made.whole_text().startswith("You are a careful reviewer.")
    made.show_request(view, form, "json")
    assert made.whole_text().startswith('{\n  "model": "gpt-4.1-mini",')
    made.show_request(view, form, "curl")
    assert made.whole_text().startswith("curl 'https://api.openai.com/v1/chat/completions'")
    assert made.text.document().findBlockByNumber(0).text().startswith("curl")


def test_what_was_chosen_stays_chosen_in_another_writing(qtbot):
    view = sample_view()
    made = reader(qtbot, view)
    made.select(AUTH)
    made.show_request(view, view.wire(), "json")
    made.select(AUTH)
    chosen = [band for band in made.text.bands() if made.text.ground_of(band.number) == "sel"]
    assert chosen


def test_a_choice_in_outline_or_text_is_told(qtbot):
    made = reader(qtbot)
    picked: list[RowKey] = []
    made.picked.connect(picked.append)
    made.outline.picked.emit(AUTH)
    made.text.picked.emit(AUTH)
    assert picked == [AUTH, AUTH]


def test_hits_are_found_in_folds_and_gone_through_in_both_directions(qtbot):
    text = "".join(f"needle {n}\n" if n % 40 == 0 else f"straw {n}\n" for n in range(200))
    made = reader(qtbot, view_of(text))
    assert made.look_for("NEEDLE") == Found(1, 5)
    assert made.step(1) == Found(2, 5)
    assert made.text.textCursor().selectedText() == "needle"
    assert made.text.textCursor().block().text() == "needle 40"
    assert made.step(-1) == Found(1, 5)
    assert made.step(-1) == Found(5, 5)
    assert made.look_for("nowhere") == Found(0, 0)
    assert made.step(1) == Found(0, 0)


def test_a_request_that_grows_keeps_the_hit_that_is_shown(qtbot):
    made = reader(qtbot, view_of("one two", "one draft"))
    made.look_for("one")
    made.step(1)
    grown = view_of("one two", "one draft, longer")
    made.show_request(grown, grown.wire(), "messages")
    assert made.found() == Found(2, 2)


def test_what_cannot_be_written_says_why(qtbot):
    made = reader(qtbot)
    made.show_request(None, None, "messages")
    assert made.currentWidget() is made.empty
    assert made.empty.title.text() == "Nothing to send yet"
    view = view_of("a")
    form = view.wire()
    assert form is not None
    made.show_request(view, None, "messages")
    assert made.empty.title.text() == "No bytes to show"
    made.show_request(view, replace(form, url=""), "curl")
    assert made.empty.title.text() == "No address to send to"
    assert made.whole_text() == ""
    made.show_request(view, WireForm(form.pieces, {}), "json")
    assert made.empty.title.text() == "No body"
    made.show_request(view, form, "messages")
    assert made.currentWidget() is not made.empty


def test_another_request_begins_folded(qtbot):
    text = "".join(f"line {n}\n" for n in range(50))
    made = reader(qtbot, view_of(text))
    made.text.unfold(4)
    assert made.text.document().blockCount() == 51
    made.forget()
    view = view_of(text)
    made.show_request(view, view.wire(), "messages")
    assert made.text.document().blockCount() == 5


def test_the_next_request_is_compared_when_it_is_sent():
    words = foot_words(sample_view(), None, 47_802)
    assert (words.tone, words.badge) == ("neutral", "")
    assert words.line == "This request: 47,802 bytes, compared when you send."


def test_the_last_turn_was_sent_as_it_was_shown():
    words = foot_words(sample_view(), Check(8, DIGEST, DIGEST), 10)
    assert (words.tone, words.badge, words.digest) == ("ok", "turn 8: bytes shown = bytes sent", DIGEST)


def test_other_bytes_than_those_shown_are_an_alarm():
    words = foot_words(sent_view(), Check(7, "0" * 64, DIGEST), 10)
    assert words.tone == "err"
    assert words.badge == "turn 7: bytes sent differ from those shown"
    assert words.line == "This was rebuilt and differs from what was sent."


def test_what_nobody_knows_is_not_claimed():
    assert foot_words(sent_view(), Check(7, DIGEST, ""), 10).badge == ""
    unknown = foot_words(sent_view(), Check(7, "", DIGEST), 10)
    assert (unknown.tone, unknown.badge) == ("neutral", "turn 7: sent")


def test_the_size_is_left_open_until_it_is_counted():
    assert foot_words(sent_view(), None, None).line == "Turn 7: … bytes, as sent."


def test_the_foot_shows_the_beginning_of_a_digest_and_speaks_all_of_it(qtbot):
    foot = PayloadFoot()
    qtbot.addWidget(foot)
    foot.say(foot_words(sample_view(), Check(8, DIGEST, DIGEST), 10))
    assert foot._digest.text() == "a91c03d7…"
    assert foot._digest.accessibleName() == f"Digest {DIGEST}"
    foot.say(foot_words(sample_view(), None, 10))
    assert not foot._badge.isVisibleTo(foot)
