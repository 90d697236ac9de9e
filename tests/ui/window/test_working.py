"""The window at work: what is shown first."""

from __future__ import annotations

from tests.fakes.qt_loop import in_qt_loop, until
from tests.ui.window.test_session import at_work


@in_qt_loop
async def test_a_new_store_begins_with_the_sample_and_a_welcome(qapp):
    async with at_work(fresh=True) as working:
        assert working.session.chat is not None
        assert working.session.chat.chat.title == "Sample"
        assert not working.session.window.chat.transcript.isVisible()
        working.session.window.end_welcome()
        await until(working.session.window.chat.transcript.isVisible)


@in_qt_loop
async def test_an_old_store_that_is_empty_is_given_the_sample_without_a_word(qapp):
    async with at_work(fresh=False) as working:
        assert working.session.window.chat.transcript.isVisible()
