"""Exports a chat as one self-contained HTML page that looks like the transcript and runs no scripts."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from workbench.domain.message import Image, Message
from workbench.domain.record import (
    ChatArchive,
    Record,
    Snapshot,
    TurnRecord,
    noted_amount,
    noted_count,
    noted_table,
)
from workbench.domain.text import repair_text
from workbench.domain.translation import tr
from workbench.engine.exchange.branch import active_branch, file_names, quoted_for, role_and_texts

# How an exported page looks: the window's colours in light and dark, and enough room to read.


LIGHT: Mapping[str, str] = {
    "chrome": "#F5F6F8", "surface": "#FFFFFF", "line": "#DFE2E8", "t1": "#191C22", "t2": "#474D59",
    "t3": "#5D6472", "accent_text": "#4B36BD", "accent_tint": "#EDEAFC", "code_bg": "#F7F8FA",
}  # fmt: skip
DARK: Mapping[str, str] = {
    "chrome": "#16181D", "surface": "#1B1E24", "line": "#2D323B", "t1": "#E8EAEF", "t2": "#B7BDC9",
    "t3": "#959DAB", "accent_text": "#B9ADFF", "accent_tint": "#2A2746", "code_bg": "#14161B",
}  # fmt: skip
"""The same names and values as in the window's themes."""


def _variables(colours: Mapping[str, str]) -> str:
    return "".join(f"--{name}:{value};" for name, value in colours.items())


STYLE = f"""
:root{{color-scheme:light dark;{_variables(LIGHT)}}}
@media (prefers-color-scheme:dark){{:root{{{_variables(DARK)}}}}}
*{{box-sizing:border-box}}
body{{margin:0;background:var(--chrome);color:var(--t1);font:15px/1.55 system-ui,sans-serif}}
main{{max-width:820px;margin:0 auto;padding:32px 20px 64px}}
header{{margin-bottom:24px}}
h1{{font-size:22px;line-height:1.3;margin:0 0 4px;overflow-wrap:anywhere}}
h2{{font-size:16px;margin:36px 0 8px}}
h3{{font-size:13px;margin:0 0 6px}}
header p,small,.used,.attached{{color:var(--t3);font-size:12.5px;font-weight:400}}
article{{background:var(--surface);border:1px solid var(--line);border-radius:10px;padding:14px 18px;margin:12px 0}}
article.user{{background:var(--accent_tint);margin-left:8%}}
article.tool,article.system{{background:transparent}}
.text{{overflow-wrap:anywhere}}
.text>:first-child{{margin-top:0}}
.text>:last-child{{margin-bottom:0}}
.text h1,.text h2,.text h3,.text h4{{font-size:16px;margin:18px 0 6px}}
.used,.attached{{margin:8px 0 0}}
a{{color:var(--accent_text)}}
pre{{background:var(--code_bg);border:1px solid var(--line);border-radius:8px;padding:10px 12px;overflow:auto;
white-space:pre-wrap;overflow-wrap:anywhere;font-size:13px}}
code{{font-family:ui-monospace,monospace;font-size:.92em}}
table{{border-collapse:collapse;display:block;overflow:auto}}
th,td{{border:1px solid var(--line);padding:4px 10px;text-align:start}}
blockquote{{margin:8px 0;padding-left:12px;border-left:3px solid var(--line);color:var(--t2)}}
details{{margin:8px 0;color:var(--t2)}}
summary{{cursor:pointer;font-size:13px;overflow-wrap:anywhere}}
img{{max-width:100%;border-radius:8px}}
@media print{{body{{background:none}}article{{break-inside:avoid}}}}
"""


_HEAD = (
    '<!doctype html>\n<html lang="und"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
    # Nothing is fetched and nothing runs, whatever stands in the chat.
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
    "img-src data:\"><meta name=\"referrer\" content=\"no-referrer\">"
)  # fmt: skip
_WHO = {"user": "You", "assistant": "Assistant", "system": "System", "tool": tr("Tool result")}
_OPENABLE = ("https://", "http://", "mailto:")
_SIGNS = re.compile(r"[\[\]<>*_`!~\\|]")
_MOST_SIGNS, _MOST_CHARACTERS = 400, 100_000
"""A paragraph with more signs of Markdown, or a longer text, is shown as it is: reading it could take minutes."""
_PICTURES = {b"\x89PNG\r\n": "png", b"\xff\xd8\xff": "jpeg", b"GIF8": "gif", b"RIFF": "webp"}


def export_html(archive: ChatArchive, paths: bool = False) -> bytes:
    """The branch in view, its attachments (by name, or with `paths`), then all other branches."""
    return "\n".join(_Page(archive, {} if paths else file_names(archive)).lines()).encode("utf-8")


class _Page:
    """Writer of one chat's page; every message appears once."""

    def __init__(self, archive: ChatArchive, names: Mapping[str, str]) -> None:
        self._archive, self._names = archive, names
        self._branch = active_branch(archive)
        self._others = _other_branches(archive, self._branch)
        self._pictures = {hashlib.sha256(one.content).hexdigest(): one.content for one in archive.snapshots}
        self._answered = {turn.reply: turn for turn in archive.turns if turn.reply is not None}
        self._quoted = quoted_for(archive)
        self._reader = _reader()

    def lines(self) -> Iterator[str]:
        title = _plain(self._archive.chat.title) or "Chat"
        yield f"{_HEAD}<title>{title}</title><style>{STYLE}</style></head><body><main>"
        yield f"<header><h1>{title}</h1><p>{' · '.join(self._facts())}</p></header>"
        for record in self._branch:
            yield from self._message(record)
        for number, branch in enumerate(self._others, 1):
            yield f'<section id="branch-{number}"><h2>Another branch ({number} of {len(self._others)})</h2>'
            for record in branch:
                yield from self._message(record)
            yield "</section>"
        yield from self._attachments()
        yield "</main></body></html>\n"

    def _facts(self) -> Iterator[str]:
        yield _when(self._archive.chat.created_utc)
        models = dict.fromkeys(turn.built.envelope.model for turn in self._archive.turns)
        if models:
            yield _plain(", ".join(models))
        yield _amount(len(self._archive.turns), "request", "requests")
        costs = [cost for turn in self._archive.turns if (cost := _usd(turn)) is not None]
        if costs:
            yield f"${sum(costs):,.4f}"

    def _message(self, record: Record) -> Iterator[str]:
        role, texts = role_and_texts(record.entry)
        state = "" if record.state == "complete" else f" · {record.state}"
        yield f'<article class="{role}"><h3>{_WHO[role]} <small>{_when(record.created_utc)}{state}</small></h3>'
        if record.attached:
            names = ", ".join(f"<code>{self._name(key)}</code>" for key in record.attached)
            yield f'<p class="attached">Attached: {names}</p>'
        for chunk in record.commands:
            yield _folded(tr("Result of a command"), _code(chunk.body))
        if isinstance(record.entry, Message):
            yield from self._thoughts_and_pictures(record.entry)
        body = "".join(self._text(text) for text in texts)
        yield _folded("Result", body) if role == "tool" else body
        if isinstance(record.entry, Message):
            yield from self._calls(record.entry)
        yield from self._quoted_line(record)
        yield from self._usage_line(record)
        yield from self._versions(record)
        yield "</article>"

    def _thoughts_and_pictures(self, message: Message) -> Iterator[str]:
        thought = "\n\n".join(one.text for one in message.thinking if one.text)
        if thought:
            yield _folded("Thinking", self._text(repair_text(thought)))
        for image in message.images:
            yield self._picture(image)

    def _calls(self, message: Message) -> Iterator[str]:
        for call in message.tool_calls:
            yield _folded(f"Called <code>{_plain(call.name)}</code>", _code(call.arguments))

    def _quoted_line(self, record: Record) -> Iterator[str]:
        if found := self._quoted.get(record.id):
            yield f'<p class="used">Quoted: {_plain("; ".join(found))}</p>'

    def _usage_line(self, record: Record) -> Iterator[str]:
        turn = self._answered.get(record.id)
        words = [] if turn is None else [_plain(turn.built.envelope.model), *_usage_words(turn)]
        if words:
            yield f'<p class="used">{" · ".join(words)}</p>'

    def _versions(self, record: Record) -> Iterator[str]:
        """Links to branches that leave from the message before this one."""
        numbers = [n for n, branch in enumerate(self._others, 1) if branch[0].parent == record.parent]
        others = [n for n in numbers if self._others[n - 1][0].id != record.id]
        if others:
            links = ", ".join(f'<a href="#branch-{n}">branch {n}</a>' for n in others)
            yield f'<p class="used">Other versions: {links}</p>'

    def _text(self, text: str) -> str:
        paragraphs = text.split("\n\n")
        dear = len(text) > _MOST_CHARACTERS or any(
            len(_SIGNS.findall(one)) > _MOST_SIGNS for one in paragraphs
        )
        return _code(text) if dear else f'<div class="text">{self._reader.render(text)}</div>'

    def _picture(self, image: Image) -> str:
        name = self._name(image.source or "picture")
        content = self._pictures.get(image.digest)
        address = "" if content is None else _data_address(content)
        return (
            f'<img src="{address}" alt="{name}">' if address else f'<p class="attached">Picture: {name}</p>'
        )

    def _attachments(self) -> Iterator[str]:
        taken = self._archive.snapshots
        if not taken:
            return
        yield f"<section><h2>{_amount(len(taken), 'attachment', 'attachments')}</h2>"
        for one in taken:
            name = self._name(one.artifact.key)
            yield _folded(f"<code>{name}</code> <small>{_when(one.taken_utc)}</small>", _shown(one, name))
        yield "</section>"

    def _name(self, key: str) -> str:
        return _plain(self._names.get(key, key))


def _other_branches(archive: ChatArchive, shown: Sequence[Record]) -> list[list[Record]]:
    """The remaining branches, each from where it leaves to its end, newest first."""
    records = {one.id: one for one in archive.records if one.deleted_utc is None}
    parents = {one.parent for one in records.values()}
    known = {one.id for one in shown}
    found: list[list[Record]] = []
    for leaf in reversed([one for one in records.values() if one.id not in parents]):
        branch: list[Record] = []
        here: Record | None = leaf
        while here is not None and here.id not in known:
            known.add(here.id)
            branch.append(here)
            here = records.get(here.parent or "")
        if branch:
            found.append(branch[::-1])
    return found


def _reader() -> MarkdownIt:
    reader = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    reader.validateLink = lambda url: url.lower().startswith(_OPENABLE)  # type: ignore[method-assign]
    reader.add_render_rule("image", _as_label)
    return reader


def _as_label(
    renderer: RendererHTML, tokens: Sequence[Token], place: int, options: OptionsDict, env: EnvType
) -> str:
    """Replace a remote picture by its alternative text, since it would have to be fetched."""
    return f"[{escape(tokens[place].content)}]"


def _usage_words(turn: TurnRecord) -> Iterator[str]:
    notes = turn.usage or {}
    sent, answered = noted_count(notes, "prompt_tokens"), noted_count(notes, "completion_tokens")
    cached, cost = noted_count(notes, "cached_tokens"), _usd(turn)
    if sent is not None:
        yield f"{sent:,} tokens sent"
    if cached:
        yield f"{cached:,} cached"
    if answered is not None:
        yield f"{answered:,} answered"
    if cost is not None:
        yield f"${cost:,.4f}"


def _usd(turn: TurnRecord) -> float | None:
    notes: Mapping[str, Any] = turn.usage or {}
    return noted_amount(noted_table(notes, "cost"), "usd")


def _shown(taken: Snapshot, name: str) -> str:
    address = _data_address(taken.content)
    picture = f'<img src="{address}" alt="{name}">' if address else ""
    return picture + (_code(taken.artifact.text) if taken.artifact.text else "")


def _data_address(content: bytes) -> str:
    kind = next((kind for sign, kind in _PICTURES.items() if content.startswith(sign)), "")
    return f"data:image/{kind};base64,{base64.b64encode(content).decode('ascii')}" if kind else ""


def _folded(summary: str, body: str) -> str:
    return f"<details><summary>{summary}</summary>{body}</details>"


def _code(text: str) -> str:
    return f"<pre><code>{escape(repair_text(text))}</code></pre>"


def _plain(text: str) -> str:
    return escape(" ".join(repair_text(text).split()))


def _when(utc: str) -> str:
    try:
        at = datetime.fromisoformat(utc)
    except ValueError:
        return _plain(utc)
    return f'<time datetime="{escape(utc)}">{at:%Y-%m-%d %H:%M}</time>'


def _amount(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"
