"""How a hidden chat is told from those that a list shows."""

from __future__ import annotations

from workbench.domain.chat_line import TEMPLATE
from workbench.domain.workspace import is_template, template_of


def test_what_chats_are_made_like_is_told_by_its_id():
    assert template_of("w").startswith(TEMPLATE)
    assert is_template(template_of("w"))
    assert not is_template("w")
