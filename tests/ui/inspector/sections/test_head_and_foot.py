"""The head and the foot of the sheet: figures that agree with the request."""

from __future__ import annotations

from dataclasses import replace

from pytestqt.qtbot import QtBot

from tests.fakes.parts_shown import chat_with_parts, parts_view
from workbench.ui.inspector.sections.sheet import SheetFoot, SheetHead


def test_room_before_and_after_differ_by_what_is_sent_of_the_file(qtbot: QtBot):
    foot = SheetFoot()
    qtbot.addWidget(foot)
    chat = chat_with_parts(parts_view())
    assert chat.view is not None
    ours = chat.attachments[-2:]
    foot.show_sums(parts_view(), ours, chat.view)
    assert foot.after.words() == f"{chat.view.free_tokens:,} free after"
    assert foot.before.words() == f"{chat.view.free_tokens + 300:,} free before"
    dropped = tuple(replace(row, state="dropped") for row in ours)
    foot.show_sums(parts_view(), dropped, chat.view)
    assert foot.before.words() == f"{chat.view.free_tokens:,} free before"


def test_what_the_cache_has_lost_since_the_sheet_came_is_said(qtbot: QtBot):
    foot = SheetFoot()
    qtbot.addWidget(foot)
    view = chat_with_parts(parts_view()).view
    assert view is not None
    assert view.cached_tokens is not None
    foot.show_sums(parts_view(), (), view)
    assert foot.cache.words().startswith("cache kept")
    foot.show_sums(parts_view(), (), replace(view, cached_tokens=view.cached_tokens - 205))
    assert foot.cache.words().startswith("re-reads 205")
    foot.begin()
    foot.show_sums(parts_view(), (), replace(view, cached_tokens=None))
    assert foot.cache.words().startswith("cache unknown")


def test_a_file_that_is_being_read_has_no_length_yet(qtbot: QtBot):
    head = SheetHead()
    qtbot.addWidget(head)
    head.show_view(replace(parts_view(), reading=True))
    assert head.extent.text() == ""
    assert head.kind.word() == ""
