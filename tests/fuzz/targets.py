"""Everything that the program reads with code of its own, each with good inputs to begin with."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, get_args

import h11

from tests.fakes import exports
from tests.fakes.answers import question
from tests.fakes.anthropic_server import AnthropicWire
from tests.fakes.archives import fresh
from tests.fakes.corpus import corpus
from tests.fakes.gemini_wire import GeminiWire
from tests.fakes.gguf_files import gguf_bytes
from tests.fakes.key_records import RECORD
from tests.fakes.session_files import claude_lines, codex_lines
from tests.fakes.wires import OllamaWire, OpenAiWire
from workbench.cli.replay.trajectory import parse_trajectory
from workbench.context.text.at_commands import mentions, planned_calls
from workbench.context.watch.reading import body_of, read_answer, read_request
from workbench.context.watch.session_copies import copied_session
from workbench.context.watch.sessions import read_claude, read_codex
from workbench.domain.errors import InvalidInput
from workbench.domain.files.document_parts import split_anchor
from workbench.domain.files.pictures import picture_in
from workbench.domain.mcp_json import read_servers
from workbench.domain.message import ToolCall
from workbench.domain.reading.json_text import load_json
from workbench.domain.watch.exchange import Exchange, WatchedFormat
from workbench.domain.watch.session_copy import SessionTuning
from workbench.domain.watch.switch import SessionKind
from workbench.engine.exchange.importing import read_groups
from workbench.net.watch.copies import decode_body
from workbench.net.watch.passage import RequestFraming, answer_framing
from workbench.ports.exchange_files import named_files
from workbench.providers.anthropic import model as anthropic
from workbench.providers.builtin.gguf import read_gguf
from workbench.providers.gemini import model as gemini
from workbench.providers.ollama.model import LineAnswer
from workbench.providers.openai import responses, stream
from workbench.providers.openai.model import CAPS
from workbench.providers.wire.events import json_objects
from workbench.settings.settings_file import SettingsFile
from workbench.settings.workspace_file import parse_offer
from workbench.sources.extract.child import answer as read_in_child
from workbench.storage.keys.file import FromTheFuture, Unreadable, read_record, write_record

ROOT = Path(__file__).parents[2]
CALL = ToolCall("c1", "read_file", '{"path": "a.txt"}')


@dataclass(frozen=True)
class Target:
    """Something that reads bytes; `seeds` are good ones, and what it raises on bad ones must be of our own kinds."""

    name: str
    read: Callable[[bytes], object]
    seeds: Callable[[], list[bytes]]


async def _pieces(content: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(content), 61):
        yield content[start : start + 61]


def _drained(parts: Callable[[AsyncIterator[bytes]], Any], content: bytes) -> None:
    async def drain() -> None:
        async for _ in parts(_pieces(content)):
            pass

    asyncio.run(drain())


def _streamed(wire: Any) -> list[bytes]:
    opening = wire.start() if isinstance(wire, AnthropicWire) else b""
    middle = wire.thinking("Hm.") + wire.text("Yes, ") + wire.text("wörld 🌍") + wire.keep_alive()
    return [opening + middle + wire.finish(), opening + wire.calls(CALL) + wire.finish("tool_calls")]


def _openai(content: bytes) -> None:
    _drained(lambda pieces: stream.answer_parts(pieces, question(), CAPS, None), content)


def _responses(content: bytes) -> None:
    reader = responses.ResponseReader(question(), "gpt")
    _drained(lambda pieces: responses._parts(pieces, reader), content)


def _anthropic(content: bytes) -> None:
    reader = anthropic.EventReader(question(), diagnosed=True)
    _drained(lambda pieces: anthropic._parts(pieces, reader), content)


def _gemini(content: bytes) -> None:
    reader = gemini.ChunkReader(question(), "gemini", zeros_unsaid=True)
    _drained(lambda pieces: gemini._parts(pieces, reader), content)


def _ollama(content: bytes) -> None:
    async def parts(pieces: AsyncIterator[bytes]) -> AsyncIterator[object]:
        answer = LineAnswer(question())
        async for line in json_objects(pieces, CAPS.line_bytes):
            for part in answer.read(line):
                yield part

    _drained(parts, content)


def _response_events() -> list[bytes]:
    call = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
    usage = {"input_tokens": 5, "output_tokens": 1}
    told: list[dict[str, Any]] = [
        {"type": "response.created", "response": {"id": "r", "model": "gpt"}},
        {"type": "response.output_item.added", "output_index": 0, "item": {"type": "message", "id": "m"}},
        {"type": "response.output_text.delta", "output_index": 0, "delta": "Yes."},
        {"type": "response.output_item.done", "item": call},
        {"type": "response.completed", "response": {"status": "completed", "usage": usage}},
    ]
    return [b"".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n".encode() for one in told)]


def _request(content: bytes) -> None:
    """A request as the watch sees it on a connection, in pieces."""
    framing = RequestFraming()
    with suppress(h11.ProtocolError):
        rest = [content[start : start + 97] for start in range(0, len(content), 97)]
        while rest and not framing.begin(rest.pop(0)):
            pass
        if framing.head is not None:
            framing.body_with_head()
            for piece in rest:
                framing.see(piece)
            framing.see(b"")


def _answer(content: bytes) -> None:
    framing = answer_framing(b"POST")
    for start in range(0, len(content), 97):
        framing.see(content[start : start + 97])
    framing.see(b"")


def _watched(name: WatchedFormat, content: bytes) -> None:
    exchange = Exchange(1, name, "POST", "/v1/x", 0.0, request=content, status=200, answer=content)
    read_request(exchange, body_of(exchange))
    read_answer(exchange)


def _watched_seeds() -> list[bytes]:
    said = [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": [{"type": "text", "text": "Hi"}]},
    ]
    tool = {"type": "function", "name": "f", "function": {"name": "f", "parameters": {"type": "object"}}}
    body = {
        "model": "m", "messages": said, "input": said, "system": [{"type": "text", "text": "s"}], "tools": [tool],
        "contents": [{"role": "user", "parts": [{"text": "Hi"}, {"functionCall": {"name": "f", "args": {}}}]}],
        "stream": True, "previous_response_id": "r",
    }  # fmt: skip
    streams = [
        one for wire in (OpenAiWire(), OllamaWire(), AnthropicWire(), GeminiWire()) for one in _streamed(wire)
    ]
    return [json.dumps(body).encode(), *streams, *_response_events()]


def _import(content: bytes) -> None:
    for name in ("a.json", "a.md"):
        for _ in read_groups((named_files((name, content)),), fresh()):
            pass


def _import_seeds() -> list[bytes]:
    markdown = b"# A chat\n\n## User\n\nHi\n\n## Assistant\n\nHello\n"
    lines = b'{"messages": [{"role": "user", "content": "a"}]}\n{"messages": [{"role": "user", "content": "b"}]}\n'
    made = [
        exports.chatgpt(2),
        exports.claude(3),
        exports.open_webui(),
        exports.librechat(),
        exports.lmstudio(2),
    ]
    return [*made, exports.gemini(3), exports.cherry_data(), markdown, lines]


@cache
def _settings_folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="fuzz-"))


def _settings(content: bytes) -> None:
    place = _settings_folder()
    (place / "settings.toml").write_bytes(content)
    file = SettingsFile(place)
    file.load()
    assert file.problems is not None


def _settings_seeds() -> list[bytes]:
    return [
        b'model = "builtin"\nmax_tool_rounds = 4\nopenai_url = "https://x.example/v1"\n[context]\n'
        b'context_window = 8000\n[context.history]\nwhen_full = "exchanges"\n[servers]\n'
        b'mine = "http://127.0.0.1:8080"\n[shortcuts]\nsend = "Ctrl+S"\n',
        b'offline = true\nproxy = "system"\nfavourite_models = ["a", "b"]\n[attach]\n[models."a:b"]\n'
        b"context_window = 10\n",
    ]


def _keys(content: bytes) -> None:
    with suppress(Unreadable, FromTheFuture):
        read_record(content)


def _gguf(content: bytes) -> None:
    path = _settings_folder() / "model.gguf"
    path.write_bytes(content)
    read_gguf(path)


def _document(name: str, content: bytes) -> None:
    head = {"task": "document", "name": name, "reading": {}}
    read_in_child(head, content)


def _documents(content: bytes) -> None:
    for name in ("a.txt", "a.md", "a.html", "a.rtf", "a.eml", "a.ipynb", "a.csv", "a.py"):
        _document(name, content)


def _binary_documents(content: bytes) -> None:
    _document("a", content)


def _corpus(binary: bool) -> list[bytes]:
    return [
        one.content
        for one in corpus()
        if (b"\0" in one.content[:400]) is binary and len(one.content) < 60_000
    ]


def _markdown(content: bytes) -> None:
    from workbench.ui.chat.text.blocks import blocks_text
    from workbench.ui.chat.text.markdown import blocks_of

    blocks_text(blocks_of(content.decode("utf-8", "replace")))


def _markdown_seeds() -> list[bytes]:
    return [
        b"# Title\n\nA *paragraph* with `code`, [a link](https://x.example), ![p](y.png) and $x^2$.\n\n"
        b"- a\n  - b\n\n> quote\n",
        b"| a | b |\n|---|:-:|\n| 1 | **2** |\n\n```python\nprint('hi')\n```\n\n1. one\n2. two[^1]\n\n"
        b"[^1]: note\n\n$$\n\\frac{1}{2}\n$$\n",
    ]


def _commands(content: bytes) -> None:
    text = content.decode("utf-8", "replace")
    planned_calls(text)
    mentions(text)
    for line in text.split():
        split_anchor(line)


def _trajectories() -> Iterator[bytes]:
    for path in sorted((ROOT / "tests/trajectories/cases").glob("*.json")):
        if path.stat().st_size < 40_000:
            yield path.read_bytes()


def _sessions(content: bytes) -> None:
    lines = content.decode("utf-8", "replace").splitlines()
    read_claude(lines)
    read_codex(lines)
    for kind in get_args(SessionKind):
        with suppress(InvalidInput):
            copied_session(kind, lines, SessionTuning(shorten_chars=10, keep_last=0), "seed")


def _session_seeds() -> list[bytes]:
    at = {"sessionId": "s", "timestamp": "2026-01-01T00:00:00Z"}
    answered = {
        "role": "assistant",
        "content": [{"type": "text", "text": "Yes"}],
        "usage": {"input_tokens": 3},
    }
    claude = [
        {"type": "user", "uuid": "a", "parentUuid": None, **at, "message": {"role": "user", "content": "Hi"}},
        {"type": "assistant", "uuid": "b", "parentUuid": "a", "message": answered},
        {"type": "summary", "summary": "x", "leafUuid": "b"},
    ]
    asked = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]}
    codex = [
        {"type": "session_meta", "timestamp": at["timestamp"], "payload": {"id": "s", "cwd": "/w"}},
        {"type": "response_item", "payload": asked},
        {"type": "event_msg", "payload": {"type": "token_count", "info": {"total_token_usage": {}}}},
    ]
    made = [b"\n".join(json.dumps(line).encode() for line in lines) for lines in (claude, codex)]
    return [*made, *("\n".join(lines).encode() for lines in (claude_lines(), codex_lines()))]


def _mcp_seeds() -> list[bytes]:
    servers = {
        "files": {"command": "npx", "args": ["-y", "x", "${HOME}"], "env": {"KEY": "abc"}},
        "web": {"type": "http", "url": "https://x.example/mcp", "headers": {"Authorization": "Bearer abc"}},
    }
    return [
        json.dumps({"mcpServers": servers}).encode(),
        json.dumps({"servers": servers, "inputs": []}).encode(),
    ]


_HTTP = [
    b"POST /v1/chat HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\n\r\nhello world!GET / HTTP/1.1\r\nHost: b\r\n\r\n",
    b"POST /v1/chat HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n3;x=y\r\nabc\r\n0\r\nT: v\r\n\r\n",
    b"HTTP/1.1 103 Early\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
]


def _text(read: Callable[[str], object], content: bytes) -> None:
    read(content.decode("utf-8", "replace"))


def _decoded(content: bytes) -> None:
    from workbench.net.watch.copies import TooLarge, Undecodable

    for encoding in ("gzip", "deflate", "br", "zstd", "gzip, br"):
        with suppress(TooLarge, Undecodable):
            decode_body(content, encoding, 1_000_000)


def _compressed() -> list[bytes]:
    import gzip
    import zlib

    return [gzip.compress(b"hello " * 500), zlib.compress(b"hello " * 500)]


TARGETS = (
    Target("stream of OpenAI", _openai, lambda: _streamed(OpenAiWire())),
    Target("stream of OpenAI's responses", _responses, _response_events),
    Target("stream of Anthropic", _anthropic, lambda: _streamed(AnthropicWire())),
    Target("stream of Gemini", _gemini, lambda: _streamed(GeminiWire())),
    Target("stream of Ollama", _ollama, lambda: _streamed(OllamaWire())),
    Target("request on the watch's wire", _request, lambda: _HTTP[:2]),
    Target("answer on the watch's wire", _answer, lambda: _HTTP[2:]),
    Target("compressed body", _decoded, _compressed),
    *(Target(f"watched {name}", partial(_watched, name), _watched_seeds) for name in get_args(WatchedFormat)),
    Target("session of an agent", _sessions, _session_seeds),
    Target("trajectory", lambda raw: parse_trajectory(load_json(raw)), lambda: list(_trajectories())),
    Target("settings", _settings, _settings_seeds),
    Target("workspace's file", partial(_text, parse_offer), lambda: [b'instructions = "x"\n[servers.a]\nurl = "b"\n']),
    Target("key file", _keys, lambda: [write_record(RECORD)]),
    Target("import", _import, _import_seeds),
    Target("servers of tools", partial(_text, read_servers), _mcp_seeds),
    Target("GGUF", _gguf, lambda: [gguf_bytes()]),
    Target("picture", picture_in, lambda: [exports.png()]),
    Target("text documents", _documents, lambda: _corpus(binary=False)),
    Target("binary documents", _binary_documents, lambda: _corpus(binary=True)),
    Target("Markdown", _markdown, _markdown_seeds),
    Target("commands and names", _commands, lambda: [b"Look @read src/a.py 3-9 and @search 'x y' @notes.md#2.1 `@ls`"]),
)  # fmt: skip
