"""A file of three headings and six pages, open to choose its parts, in the sample chat."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.sample_state import CHAT, sample_state
from workbench.domain.files.attachment import Artifact
from workbench.domain.files.document import ReadAs, Section
from workbench.domain.shown.parts_view import PartRow, PartsView
from workbench.engine.state import ChatState

CHOSEN = ("Two", "p6")
_LINES = 2


def parts_view() -> PartsView:
    """Two pages in each heading, a hundred tokens a page; the second heading and the last page are attached."""
    text, rows = "", []
    starts = []
    for page in range(1, 7):
        starts.append(len(text))
        text += f"page {page}\n" + f"words of page {page}\n" * (_LINES - 1)
    starts.append(len(text))
    for at, name in enumerate(("One", "Two", "Three")):
        first = 2 * at
        heading = Section(name, name, 1, starts[first], starts[first + 2], first + 1, first + 2)
        rows.append(PartRow(heading, 200, name in CHOSEN))
        for page in (first + 1, first + 2):
            part = Section(f"p{page}", f"page {page}", 2, starts[page - 1], starts[page], page, page)
            rows.append(PartRow(part, 100, part.anchor in CHOSEN))
    return PartsView(
        "spec.pdf", "spec.pdf#p6", "spec.pdf", "2026-11-12T14:04:00Z", "ab" * 32, ReadAs("pdf", pages=6), text,
        tuple(rows), 700, CHOSEN, exact=True,
    )  # fmt: skip


def chat_with_parts(view: PartsView | None) -> ChatState:
    """The sample chat with that file."""
    chat = sample_state().open[CHAT]
    tokens = {"Two": 200, "p6": 100}
    artifacts = tuple(
        Artifact(f"spec.pdf#{anchor}", "pdf", "words", priority=3, name=f"spec.pdf#{anchor}")
        for anchor in CHOSEN
    )
    rows = tuple(
        replace(
            chat.attachments[0],
            key=one.key,
            name=one.name,
            kind="pdf",
            tokens=tokens[anchor],
            state="sent",
            disk="same",
        )
        for one, anchor in zip(artifacts, CHOSEN, strict=True)
    )
    talk = replace(chat.conversation, attached=(*chat.conversation.attached, *artifacts))
    return replace(chat, conversation=talk, attachments=(*chat.attachments, *rows), parts=view)
