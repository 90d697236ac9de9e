"""What the composer says about keys and passwords before they are sent."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from pytestqt.qtbot import QtBot

from tests.fakes.sample_envelope import sample_view
from tests.fakes.sample_state import CHAT, sample_state
from workbench.domain.caching import KeptWarm
from workbench.domain.secrets import FoundSecret
from workbench.domain.shown.envelope_view import EnvelopeView, LayerRow
from workbench.engine.intents import EditDraft
from workbench.engine.program_intents import ChangePreferences
from workbench.engine.state import Fix
from workbench.ui.chat.composer.bands import (
    BAND_HEIGHT,
    ColdLine,
    OverLimit,
    SecretIn,
    SecretLine,
    secrets_of_message,
)
from workbench.ui.chat.composer.composer import Composer
from workbench.ui.widgets.warm_clock import WarmClock

KEY = FoundSecret("github", 1, 4, 8, "ghp_…")
STATE = sample_state()
FIX = Fix("unpin", "logs/big.log", 11_686, True, 18_800, priority=10)


def with_secrets(view: EnvelopeView, *layers: str) -> EnvelopeView:
    """The request with a key in the first row of these layers."""

    def marked(layer: LayerRow) -> LayerRow:
        if layer.name not in layers or not layer.rows:
            return layer
        first = replace(layer.rows[0], secrets=(KEY,))
        return replace(layer, rows=(first, *layer.rows[1:]))

    return replace(view, layers=tuple(marked(layer) for layer in view.layers))


def composer(qtbot: QtBot, view: EnvelopeView, draft: str) -> tuple[Composer, list[object]]:
    made = Composer()
    qtbot.addWidget(made)
    sent: list[object] = []
    made.wishes.intent.connect(sent.append)
    chat = replace(STATE.open[CHAT], view=view, draft=draft)
    made.show_state(replace(STATE, open={CHAT: chat}), chat)
    return made, sent


def test_a_key_in_the_draft_is_said_and_underlined(qtbot: QtBot):
    made, _ = composer(qtbot, with_secrets(sample_view(), "L5_USER"), "the ghp_ key")
    assert made.secrets.words.text() == "Your message: looks like a GitHub key (line 1)"
    assert not made.secrets.isHidden()
    (mark,) = made.text.extraSelections()
    assert mark.cursor.selectedText() == "ghp_"  # type: ignore[attr-defined]


def test_without_one_there_is_no_line(qtbot: QtBot):
    made, _ = composer(qtbot, sample_view(), "a plain draft")
    assert made.secrets.isHidden()
    assert made.text.extraSelections() == []


def test_marks_are_not_put_under_words_that_nobody_read_yet(qtbot: QtBot):
    """The state is some keys behind: its places would underline something else."""
    made, _ = composer(qtbot, with_secrets(sample_view(), "L5_USER"), "the ghp_ key")
    made.text.insertPlainText("more ")
    assert made.text.extraSelections() == []


def test_what_is_brought_along_is_named_after_the_draft_and_what_was_said_before_is_not(qtbot: QtBot):
    view = with_secrets(sample_view(), "L5_USER", "L3_TURN", "L4_STRIP", "L1_SYSTEM")
    names = [place.name for place in secrets_of_message(view)]
    assert names[0] == ""
    assert len(names) == 2
    assert secrets_of_message(None) == ()


def test_in_this_message_they_are_replaced_in_its_words(qtbot: QtBot):
    made, sent = composer(qtbot, with_secrets(sample_view(), "L5_USER"), "the ghp_ key")
    made.secrets.replace.click()
    assert made.text.text() == "the [GitHub key was here] key"
    assert [one.text for one in sent if isinstance(one, EditDraft)] == ["the [GitHub key was here] key"]
    assert not any(isinstance(one, ChangePreferences) for one in sent)
    assert made.secrets.words.text() == "Replaced in this message."
    assert (made.secrets.replace.isHidden(), made.secrets.always.isHidden()) == (True, False)
    made.text.undo()
    assert made.text.text() == "the ghp_ key"


def test_it_can_become_the_rule(qtbot: QtBot):
    made, sent = composer(qtbot, with_secrets(sample_view(), "L5_USER"), "the ghp_ key")
    made.secrets.always.click()
    assert sent == [ChangePreferences(replace(STATE.preferences, redaction="replace"), STATE.preferences)]


def test_what_stands_in_files_can_only_be_replaced_always(qtbot: QtBot):
    made, _ = composer(qtbot, with_secrets(sample_view(), "L3_TURN"), "the key")
    assert (made.secrets.replace.isHidden(), made.secrets.always.isHidden()) == (True, False)


def test_replaced_ones_need_no_button(qtbot: QtBot):
    line = SecretLine()
    qtbot.addWidget(line)
    line.show_found((SecretIn("", (replace(KEY, replaced=True),)),))
    assert line.words.text() == "Your message: replaced before sending: a GitHub key (line 1)"
    assert line.replace.isHidden()
    many = tuple(SecretIn(f"file{number}.env", (KEY,)) for number in range(5))
    line.show_found(many)
    assert line.words.text().endswith("; and 3 more")
    assert (line.replace.isHidden(), line.always.isHidden()) == (True, False)


def test_it_says_by_how_much_and_is_gone_where_it_fits(qtbot: QtBot):
    over = OverLimit()
    qtbot.addWidget(over)
    over.show_over(14_486, (FIX,))
    assert over.words() == ("14,486 tokens over the limit.", "Sending is blocked. Choose a fix:")
    assert not over.isHidden()
    assert over.sizeHint().height() == BAND_HEIGHT + 44
    over.show_over(0, ())
    assert over.isHidden()


def test_without_fixes_it_says_what_to_do(qtbot: QtBot):
    over = OverLimit()
    qtbot.addWidget(over)
    over.show_over(9, ())
    assert "Shorten the message" in over.words()[1]


def test_a_fix_is_handed_on(qtbot: QtBot):
    over = OverLimit()
    qtbot.addWidget(over)
    over.show_over(9, (FIX,))
    with qtbot.waitSignal(over.fixes.applied) as applied:
        over.fixes.fix_rows()[0].apply.click()
    assert applied.args == [FIX]


UNTIL = "2026-11-18T12:05:00+00:00"
WARM = KeptWarm(41_000, 0.0123, 0.14, 6, UNTIL, "2026-11-18T15:10:00+00:00")


def now_ms(left_s: int) -> int:
    return round(datetime.fromisoformat(UNTIL).timestamp() * 1000) - left_s * 1000


def test_the_pause_that_is_about_to_cost_is_told_before_it_does(qtbot: QtBot):
    left = [90]
    line = ColdLine(WarmClock(None, lambda: now_ms(left[0])))
    qtbot.addWidget(line)
    line.resize(600, line.height())
    wished: list[bool] = []
    line.wished.connect(wished.append)
    line.show_kept(WARM)
    assert line.isHidden()  # it is told within the last minute
    left[0] = 45
    line.clock.ticked.emit()
    assert not line.isHidden()
    assert (line.strong.text(), line.words.text()) == ("Cold in 0:45:", "41,000 tokens, $0.14")
    assert line.price.text() == "$0.0123 each time"
    line.act.click()
    line.show_kept(replace(WARM, on=True, done=2))
    assert line.words.text() == "2 of 6"
    assert line.strong.text().startswith("Kept warm until ")
    assert line.act.text() == "Stop"
    line.act.click()
    assert wished == [True, False]
    line.show_kept(WARM)
    left[0] = 0
    line.clock.ticked.emit()
    assert line.isHidden()
    assert not line.clock.runs()


def test_it_is_quiet_once_dismissed_and_where_it_does_not_pay(qtbot: QtBot):
    line = ColdLine(WarmClock(None, lambda: now_ms(30)))
    qtbot.addWidget(line)
    line.show_kept(replace(WARM, refresh_usd=0.2))
    assert line.isHidden()
    line.show_kept(WARM)
    line.close_it.click()
    line.clock.ticked.emit()
    assert line.isHidden()
    line.show_kept(replace(WARM, until_utc="2026-11-18T12:05:10+00:00"))  # another pause
    assert not line.isHidden()
