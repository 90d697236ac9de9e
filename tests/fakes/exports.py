"""Exports of other programs as their schemas say, each with everything its format has: branches, tools, pictures."""

from __future__ import annotations

import base64
import io
import json
import struct
import zipfile
import zlib
from typing import Any


def png(width: int = 3, height: int = 2, shade: int = 7) -> bytes:
    """A small picture, complete."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    rows = b"".join(b"\0" + bytes([shade]) * width for _ in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


DATA_URL = "data:image/png;base64," + base64.b64encode(png()).decode()


def dumped(document: object) -> bytes:
    return json.dumps(document, ensure_ascii=False).encode()


def zipped(**files: bytes) -> bytes:
    """An archive of these files; `__` in a name stands for a dot, `_in_` for a folder."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in files.items():
            archive.writestr(name.replace("_in_", "/").replace("__", "."), body)
    return out.getvalue()


# ChatGPT.


def chatgpt_node(key: str, parent: str | None, role: str, content: Any, **more: Any) -> dict[str, Any]:
    if isinstance(content, str):
        content = {"content_type": "text", "parts": [content]}
    message = {
        "id": key,
        "author": {"role": role},
        "content": content,
        "create_time": 1_700_000_000.5,
        **more,
    }
    return {"id": key, "parent": parent, "children": [], "message": message}


def chatgpt_chat(chat: str = "11111111-aaaa-4bbb-8ccc-000000000001", turns: int = 1) -> dict[str, Any]:
    """A chat with a picture, thinking, a call of a tool, and two answers to its first question."""
    picture = {"content_type": "image_asset_pointer", "asset_pointer": "sediment://file_abc123"}
    thoughts = {
        "content_type": "thoughts",
        "thoughts": [{"summary": "Looking", "content": "It has feathers."}],
    }
    nodes = [
        {"id": "root", "parent": None, "children": ["q1"], "message": None},
        chatgpt_node(
            "q1", "root", "user", {"content_type": "multimodal_text", "parts": [picture, "What is it?"]}
        ),
        chatgpt_node("t1", "q1", "assistant", thoughts),
        chatgpt_node("a1", "t1", "assistant", "A pigeon.", metadata={"model_slug": "gpt-x"}),
        chatgpt_node("a2", "q1", "assistant", "A dove."),
        chatgpt_node("q2", "a1", "user", "Look it up"),
        chatgpt_node("c1", "q2", "assistant", '{"q": "dove"}', recipient="web"),
        chatgpt_node("r1", "c1", "tool", "found it"),
        chatgpt_node("a3", "r1", "assistant", "It is a dove."),
    ]
    before = "a3"
    for number in range(1, turns):
        nodes += [
            chatgpt_node(f"q{number}-more", before, "user", f"And {number}?"),
            chatgpt_node(f"a{number}-more", f"q{number}-more", "assistant", f"That, {number}."),
        ]
        before = f"a{number}-more"
    mapping = {node["id"]: node for node in nodes}
    return {"conversation_id": chat, "title": "Birds", "create_time": 1_700_000_000, "mapping": mapping,
            "current_node": before}  # fmt: skip


def chatgpt(turns: int = 1) -> bytes:
    return dumped([chatgpt_chat(turns=turns)])


def chatgpt_zip(turns: int = 1) -> bytes:
    other = dumped([{"id": "f1", "conversation_id": "x", "rating": "thumbs_up"}])
    user = dumped({"id": "user-1", "email": "someone@example.org"})
    return zipped(
        conversations__json=chatgpt(turns), message_feedback__json=other, user__json=user, chat__html=b"<html>",
        **{"file_abc123-bird__png": png()},
    )  # fmt: skip


# Claude.ai.


def claude(messages: int = 5) -> bytes:
    root = "00000000-0000-4000-8000-000000000000"

    def said(key: str, parent: str, sender: str, *blocks: dict[str, Any], **more: Any) -> dict[str, Any]:
        when = "2025-03-29T07:06:35.552627Z"
        return {"uuid": key, "parent_message_uuid": parent, "sender": sender, "text": "", "content": list(blocks),
                "created_at": when, "attachments": [], "files": [], **more}  # fmt: skip

    text = "The whole pasted report."
    pasted = {"file_name": "", "file_type": "txt", "file_size": len(text), "extracted_content": text}
    everything = [
        said("m1", root, "human", {"type": "text", "text": "Sum this up"}, attachments=[pasted],
             files=[{"file_uuid": "f-1", "file_name": "photo.png"}]),
        said("m2", "m1", "assistant",
             {"type": "thinking", "thinking": "Two parts."},
             {"type": "tool_use", "id": "toolu_1", "name": "search", "input": {"q": "report"}},
             {"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "text", "text": "nothing"}]},
             {"type": "text", "text": "It says little."}),
        said("m3", "m1", "assistant", {"type": "text", "text": "Another answer."}),
        said("m4", "m2", "human", text="Thanks"),
        said("m5", "m4", "assistant", {"type": "text", "text": "You are welcome."}),
        said("m6", "m5", "human", {"type": "text", "text": "One more"}),
    ]  # fmt: skip
    chat = {"uuid": "22222222-aaaa-4bbb-8ccc-000000000002", "name": "A report", "created_at": "2025-03-29T07:06:34Z",
            "account": {"uuid": "me"}, "chat_messages": everything[:messages]}  # fmt: skip
    return dumped([chat])


# Open WebUI.


def open_webui() -> bytes:
    thought = (
        '<details type="reasoning" done="true" duration="2">\n<summary>Thought</summary>\n'
        "&gt; Five &amp; two\n</details>\n"
    )
    call = (
        '<details type="tool_calls" done="true" id="c1" name="add" arguments="&quot;{\\&quot;a\\&quot;: 5}&quot;" '
        'result="&quot;7&quot;" files="" embeds="">\n<summary>Tool Executed</summary>\n</details>\n'
    )
    note = {"type": "file", "file": {"filename": "note.txt", "data": {"content": "five and two"}}}
    newer = [
        {"type": "reasoning", "content": [{"type": "output_text", "text": "Again."}]},
        {"type": "message", "content": [{"type": "output_text", "text": "Seven, once more."}]},
    ]
    messages = {
        "u1": {"id": "u1", "parentId": None, "childrenIds": ["a1", "a2"], "role": "user", "content": "Add them",
               "timestamp": 1_700_000_000, "files": [{"type": "image", "url": DATA_URL}, note]},
        "a1": {"id": "a1", "parentId": "u1", "childrenIds": [], "role": "assistant",
               "content": f"{thought}{call}Seven.",
               "model": "llama3", "timestamp": 1_700_000_001, "sources": [{"name": "x"}]},
        "a2": {"id": "a2", "parentId": "u1", "childrenIds": [], "role": "assistant", "content": "shown instead",
               "model": "qwen", "timestamp": 1_700_000_002, "output": newer},
    }  # fmt: skip
    inner = {"title": "Sums", "models": ["llama3"], "params": {"system": "Be exact."},
             "history": {"currentId": "a1", "messages": messages}, "messages": []}  # fmt: skip
    return dumped([{"id": "33333333-aaaa-4bbb-8ccc-000000000003", "title": "Sums", "chat": inner,
                    "created_at": 1_700_000_000, "updated_at": 1_700_000_002}])  # fmt: skip


# LibreChat.


def librechat(recursive: bool = True) -> bytes:
    def said(key: str, parent: str, asked: bool, **more: Any) -> dict[str, Any]:
        return {"messageId": key, "parentMessageId": parent, "isCreatedByUser": asked, "text": "",
                "sender": "User" if asked else "Claude", "createdAt": "2025-01-02T03:04:05.678Z", "children": [],
                **more}  # fmt: skip

    first = said("l1", "00000000-0000-0000-0000-000000000000", True, text="What time is it?",
                 files=[{"file_id": "f", "filename": "clock.png", "type": "image/png"}])  # fmt: skip
    steps = [
        {"type": "think", "think": "Ask the clock."},
        {"type": "tool_call", "tool_call": {"id": "t1", "name": "clock", "args": "{}", "output": "noon"}},
        {"type": "text", "text": {"value": "It is noon."}},
    ]
    second = said("l2", "l1", False, content=steps, model="claude-x")
    third = said("l3", "l1", False, text="I do not know.", unfinished=True)
    document: dict[str, Any] = {
        "conversationId": "44444444-aaaa-4bbb-8ccc-000000000004", "endpoint": "anthropic", "title": "Time",
        "exportAt": "12:00:00", "branches": True, "recursive": recursive,
        "options": {"model": "claude-x", "promptPrefix": "Be short."},
    }  # fmt: skip
    if recursive:
        return dumped({**document, "messagesTree": [{**first, "children": [second, third]}]})
    return dumped({**document, "messages": [first, second, third]})


# LM Studio.


def lmstudio(turns: int = 1) -> bytes:
    def asked(text: str, *parts: dict[str, Any]) -> dict[str, Any]:
        content = [{"type": "text", "text": text}, *parts]
        return {
            "versions": [{"type": "singleStep", "role": "user", "content": content}],
            "currentlySelected": 0,
        }

    def block(*parts: dict[str, Any], **more: Any) -> dict[str, Any]:
        return {
            "type": "contentBlock",
            "content": list(parts),
            "genInfo": {"indexedModelIdentifier": "qwen3"},
            **more,
        }

    def words(text: str) -> dict[str, Any]:
        return {"type": "text", "text": text, "tokensCount": 3}

    request = {
        "type": "toolCallRequest",
        "callId": 1,
        "toolCallRequestId": "7",
        "name": "dice",
        "parameters": {"n": 1},
    }
    result = {
        "type": "toolCallResult",
        "callId": 1,
        "toolCallRequestId": "7",
        "content": '[{"type":"text","text":"4"}]',
    }
    steps = [
        block(words("A die will do."), style={"type": "thinking", "ended": True}, prefix="<think>"),
        block(request),
        {"type": "toolStatus", "callId": 1},
        block(result),
        block(words("Four.")),
        {"type": "debugInfoBlock", "debugInfo": "x"},
    ]
    answers = [
        {
            "type": "multiStep",
            "role": "assistant",
            "senderInfo": {"senderName": "qwen3"},
            "steps": [block(words("Six."))],
        },
        {"type": "multiStep", "role": "assistant", "senderInfo": {"senderName": "qwen3"}, "steps": steps},
    ]
    photo = {"type": "file", "fileIdentifier": "1734 - die.png", "fileType": "image", "sizeBytes": 9}
    messages = [asked("Roll a die", photo), {"versions": answers, "currentlySelected": 1}]
    for number in range(1, turns):
        messages += [asked(f"Again, {number}"), {"versions": [{"type": "multiStep", "role": "assistant",
                     "steps": [block(words(f"Now {number}."))]}], "currentlySelected": 0}]  # fmt: skip
    return dumped({"name": "Dice", "createdAt": 1_734_567_890_123, "tokenCount": 9, "systemPrompt": "Roll fairly.",
                   "messages": messages, "lastUsedModel": {"identifier": "qwen3"}})  # fmt: skip


# Cherry Studio.


def cherry_data() -> bytes:
    topic = {
        "id": "55555555-aaaa-4bbb-8ccc-000000000005",
        "name": "Trips",
        "createdAt": "2025-02-03T04:05:06.000Z",
    }
    assistants = {"assistants": [{"id": "x", "name": "Guide", "prompt": "Know the way.", "topics": [topic]}]}

    def said(key: str, role: str, *blocks: str, **more: Any) -> dict[str, Any]:
        return {"id": key, "role": role, "topicId": topic["id"], "createdAt": "2025-02-03T04:05:07.000Z",
                "status": "success", "blocks": list(blocks), **more}  # fmt: skip

    def block(key: str, kind: str, **more: Any) -> dict[str, Any]:
        return {"id": key, "messageId": "x", "type": kind, "status": "success", **more}

    map_file = {"id": "f-map", "name": "f-map.png", "origin_name": "map.png", "ext": ".png", "type": "image"}
    notes = {
        "id": "f-notes",
        "name": "f-notes.txt",
        "origin_name": "notes.txt",
        "ext": ".txt",
        "type": "text",
    }
    blocks = [
        block("b1", "main_text", content="Where to?"),
        block("b2", "image", file=map_file),
        block("b3", "file", file=notes),
        block("b4", "thinking", content="North is up.", thinking_millsec=10),
        block("b5", "tool", toolId="t-1", toolName="maps", arguments={"to": "sea"}, content="2 hours"),
        block("b6", "main_text", content="To the sea."),
        block("b7", "main_text", content="To the hills."),
        block("b8", "translation", content="Ans Meer.", targetLanguage="de"),
        block("b9", "main_text", content="Let us go"),
        block("b10", "main_text", content="Go well."),
    ]
    messages = [
        said("m1", "user", "b1", "b2", "b3"),
        said("m2", "assistant", "b4", "b5", "b6", "b8", askId="m1", model={"id": "gpt-x"}, foldSelected=True),
        said("m3", "assistant", "b7", askId="m1", model={"id": "qwen"}),
        said("m4", "user", "b9"),
        said("m5", "assistant", "b10", askId="m4", modelId="gpt-x"),
    ]
    storage = {"persist:cherry-studio": json.dumps({"assistants": json.dumps(assistants), "_persist": "{}"})}
    database = {
        "topics": [{"id": topic["id"], "messages": messages}],
        "message_blocks": blocks,
        "files": [map_file, notes],
    }
    return dumped({"time": 1, "version": 5, "localStorage": storage, "indexedDB": database})


def cherry_zip() -> bytes:
    files = {"Data_in_Files_in_f-map__png": png(4, 4), "Data_in_Files_in_f-notes__txt": b"by train"}
    return zipped(data__json=cherry_data(), **files)


# Gemini in Takeout.


def gemini(entries: int = 4) -> bytes:
    def asked(title: str, time: str, answer: str = "", **more: Any) -> dict[str, Any]:
        shown = {"safeHtmlItem": [{"html": answer}]} if answer else {}
        return {
            "header": "Gemini Apps",
            "title": title,
            "time": time,
            "products": ["Gemini Apps"],
            **shown,
            **more,
        }

    page = "<p>Plant <b>beans</b>:</p><ul><li>in rows</li><li>in May</li></ul><pre><code>a  b</code></pre>"
    everything = [
        asked("Prompted What grows here?", "2025-05-01T08:00:00.123Z", page, attachedFiles=["bed.png"]),
        asked("Prompted\u00a0And in June?", "2025-05-01T09:00:00Z", "<p>Peas &amp; kale.</p>"),
        asked("Used Gemini Apps", "2025-05-01T09:30:00Z"),
        asked("Prompted Without an answer Attached 1 file.", "2025-05-02T08:00:00Z"),
        asked("Prompted Later that day", "2025-05-02T18:00:00Z", "<p>Rest.</p>"),
    ]
    return dumped(list(reversed(everything[:entries])))


def takeout_zip(entries: int = 4) -> bytes:
    place = "Takeout_in_My Activity_in_Gemini Apps_in_"
    return zipped(**{f"{place}MyActivity__json": gemini(entries), f"{place}bed__png": png(5, 5)})


EXPORTS: dict[str, tuple[str, bytes]] = {
    "chatgpt": ("conversations.json", chatgpt()),
    "chatgpt .zip": ("chatgpt.zip", chatgpt_zip()),
    "claude": ("conversations.json", claude()),
    "open-webui": ("chat-export.json", open_webui()),
    "librechat": ("time.json", librechat()),
    "librechat, flat": ("flat.json", librechat(recursive=False)),
    "lm-studio": ("1734567890123.conversation.json", lmstudio()),
    "cherry-studio .zip": ("cherry-studio.zip", cherry_zip()),
    "takeout .zip": ("takeout.zip", takeout_zip()),
}
"""Every format by its name, as a file."""
