"""Pages kept as pictures: at most so many at once, and the rest is named."""

from __future__ import annotations

import pytest

from tests.fakes.attachments import MemoryAttachments
from tests.fakes.engine import fake_bench
from tests.fakes.loop import in_calm_loop
from workbench.domain.files.attached import CannotAttach
from workbench.engine.attaching_intents import AttachPages
from workbench.engine.chats.changes import attach_pages
from workbench.engine.chats.file_keeping import MOST_PAGES, keep_pages


@in_calm_loop
async def test_pages_over_the_limit_are_named_as_refused():
    files = MemoryAttachments({})
    files.scans["scan.pdf"] = 30
    bench = fake_bench(attachments=files)
    await bench.start()
    made, rest = await keep_pages(AttachPages("talk", "scan.pdf", 1, 30), bench.world)
    assert len(made) == MOST_PAGES
    assert [(one.path, one.refused) for one in rest] == [("scan.pdf, pages 21 to 30", True)]
    told = await attach_pages(AttachPages("talk", "scan.pdf", 1, 30), bench.world)
    assert told.left_out == rest
    with pytest.raises(CannotAttach):
        await keep_pages(AttachPages("talk", "scan.pdf", 3, 2), bench.world)
