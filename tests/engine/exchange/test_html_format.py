"""A page of a chat: everything on it once, nothing that runs or is fetched, whatever was said."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from tests.fakes.archives import WHEN, full_archive, plain_archive
from tests.fakes.turns import artifact, assistant, user
from workbench.domain.message import Image, Message, Thought, ToolCall
from workbench.domain.record import ChatArchive, Record, Snapshot
from workbench.engine.exchange.html_format import export_html

VOID = {"meta", "img", "br", "hr"}
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(16)


class Page(HTMLParser):
    """What a browser would see: text, and every tag with what it refers to."""

    def __init__(self, content: bytes) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.references: list[str] = []
        self.text = ""
        self.feed(content.decode("utf-8"))
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remembered."""
        self.tags.append(tag)
        assert not any(name.startswith("on") for name, _ in attrs)
        self.references += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Everything that is opened is closed, in order."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Remembered, but for the style."""
        if self.open and self.open[-1] != "style":
            self.text += data


def page(archive: ChatArchive) -> Page:
    return Page(export_html(archive))


def test_it_reads_like_the_conversation():
    shown = page(
        plain_archive(
            user("q", "What is **it**?"), assistant("a", "| a |\n|---|\n| b |"), title="A <b> title"
        )
    )
    assert "A <b> title" in shown.text
    assert "What is it?" in shown.text
    assert {"strong", "table"} <= set(shown.tags)


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "![a picture](https://example.com/a.png)",
        "[go](javascript:alert(1))",
        "[go](file:///etc/passwd)",
        "</article></main><style>*{display:none}</style>",
        "\ud800 half a sign",
    ],
)
def test_nothing_that_was_said_runs_or_is_fetched(text: str):
    """pi-mono: `javascript:` in a link of an exported page."""
    said = (user("q", text), Message("a", "assistant", (text,), tool_calls=(ToolCall("c", text, text),)))
    shown = page(plain_archive(*said, title=text, attached=(text,)))
    assert "script" not in shown.tags
    assert shown.references == []
    assert "img" not in shown.tags


def test_links_can_be_followed_and_pictures_are_part_of_the_page():
    image = Image(hashlib.sha256(PICTURE).hexdigest(), source="plan.png")
    said = Message("q", "user", ("See [here](https://example.com)",), images=(image,))
    archive = plain_archive(said)
    taken = Snapshot("talk", artifact("plan.png", ""), WHEN, PICTURE)
    shown = page(replace(archive, snapshots=(taken,)))
    address = "data:image/png;base64," + base64.b64encode(PICTURE).decode()
    assert shown.references == [address, "https://example.com", address]


def test_every_message_of_every_branch_stands_on_it_once():
    archive = plain_archive(user("q", "first question"), assistant("a", "first answer"))
    edited = Record(archive.chat.id, user("q2", "edited question"), WHEN)
    again = Record(archive.chat.id, assistant("a2", "edited answer"), WHEN, parent="q2")
    other = Record(archive.chat.id, assistant("a3", "second answer"), WHEN, parent="q")
    gone = Record(archive.chat.id, assistant("a4", "deleted answer"), WHEN, parent="q", deleted_utc=WHEN)
    shown = page(replace(archive, records=(*archive.records, edited, again, other, gone)))
    for words in ("first question", "first answer", "edited question", "edited answer", "second answer"):
        assert shown.text.count(words) == 1
    assert "deleted answer" not in shown.text
    assert sorted(shown.references) == ["#branch-1", "#branch-2"]


def test_thinking_tools_attachments_and_costs_are_on_it():
    archive = full_archive()
    shown = page(archive).text
    assert "Called read" in shown
    assert all(one.artifact.text in shown for one in archive.snapshots)
    thought = Message("a", "assistant", ("Yes.",), thinking=(Thought("Let me see."),))
    assert "Let me see." in page(plain_archive(user("q"), thought)).text
    turn = replace(
        archive.turns[-1], reply=archive.records[-1].id,
        usage={"prompt_tokens": 1200, "cached_tokens": 1024, "completion_tokens": 7, "cost": {"usd": 0.25}},
    )  # fmt: skip
    shown = page(replace(archive, turns=(turn,))).text
    assert "1,200 tokens sent · 1,024 cached · 7 answered · $0.2500" in shown
    assert "1 request · $0.2500" in shown


@pytest.mark.parametrize("sign", ["[", "*a", "`", "> ", "![", "<", "- ", "|"])
def test_no_text_keeps_it_busy(sign: str):
    assert export_html(plain_archive(user("q", sign * 30_000))).endswith(b"</html>\n")
