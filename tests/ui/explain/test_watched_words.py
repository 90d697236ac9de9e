"""What is said about a watched request: nothing of it can be pinned, and its findings have their figures."""

from __future__ import annotations

from tests.fakes.watched import watched_state
from workbench.ui.explain.cards import Part
from workbench.ui.explain.words import card_text


def test_layers_and_findings_are_told_as_the_program_sent_them(qapp: object):
    _, chat = watched_state()
    layer, findings = (card_text(part, chat) for part in (Part("layer"), Part("findings")))
    assert layer is not None
    assert layer.text.startswith("History takes 177 tokens, 35.4 % of the window. Each row is a piece")
    assert findings is not None
    assert "1 in all; the largest is about 180 tokens." in findings.text
    assert findings.page == "watch"
