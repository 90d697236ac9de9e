"""Exports of other programs: what each has is kept, what is lost is counted, and no damage ends in a traceback."""

from __future__ import annotations

import json
import random  # noqa: TID251 — mutations are drawn from a fixed seed
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.engine.exchange.test_importing import mutated
from tests.fakes import exports
from tests.fakes.archives import fresh, import_files
from tests.fakes.effort import tries
from workbench.domain.message import Message
from workbench.domain.record import ChatArchive
from workbench.engine.exchange.chatgpt_format import is_chatgpt
from workbench.engine.exchange.cherry_format import is_cherry
from workbench.engine.exchange.claude_format import is_claude
from workbench.engine.exchange.gemini_format import is_gemini
from workbench.engine.exchange.imported import Imported, merged
from workbench.engine.exchange.importing import FORMATS, found_in, read_groups
from workbench.engine.exchange.librechat_format import is_librechat
from workbench.engine.exchange.lmstudio_format import is_lmstudio
from workbench.engine.exchange.open_webui_format import is_open_webui
from workbench.engine.exchange.soundness import make_sound
from workbench.sources.exchange_files import read_paths


def brought(folder: Path, name: str, body: bytes) -> Imported:
    """A file on the disk, read as an import reads it."""
    (folder / name).write_bytes(body)
    found = read_paths([str(folder / name)])
    assert found.problems == ()
    try:
        return merged(list(read_groups(found.groups, fresh())))
    finally:
        found.close()


def said(archive: ChatArchive) -> list[tuple[str, str]]:
    """Who said what on all branches, in order."""
    entries = [record.entry for record in archive.records]
    return [(entry.role, entry.text) for entry in entries if isinstance(entry, Message)]


class Kept(NamedTuple):
    """What of an export is kept: messages, branches, calls, results, thoughts, pictures, texts, models."""

    messages: int
    branches: int
    calls: int
    results: int
    thoughts: int
    pictures: int
    texts: int
    models: int


def kept(imported: Imported) -> Kept:
    records = [record for archive in imported.archives for record in archive.records]
    entries = [record.entry for record in records if isinstance(record.entry, Message)]
    parents = [(record.chat, record.parent) for record in records if record.parent is not None]
    taken = [one.artifact.kind for archive in imported.archives for one in archive.snapshots]
    return Kept(
        messages=len(records),
        branches=len(parents) - len(set(parents)),
        calls=sum(len(entry.tool_calls) for entry in entries),
        results=sum(entry.role == "tool" for entry in entries),
        thoughts=sum(len(entry.thinking) for entry in entries),
        pictures=sum(len(entry.images) for entry in entries),
        texts=taken.count("file"),
        models=len({str(record.metadata["model"]) for record in records if "model" in record.metadata}),
    )


EXPECTED: dict[str, tuple[Kept, dict[str, int]]] = {
    "chatgpt": (Kept(7, 1, 1, 1, 1, 0, 0, 1), {"image_asset_pointer": 1}),
    "chatgpt .zip": (Kept(7, 1, 1, 1, 1, 1, 0, 1), {"file of the archive that holds no chats": 2}),
    "claude": (Kept(7, 1, 1, 1, 1, 0, 1, 0), {"attached file": 1}),
    "open-webui": (Kept(5, 1, 1, 1, 2, 1, 1, 2), {"sources": 1}),
    "librechat": (Kept(5, 1, 1, 1, 1, 0, 0, 1), {"picture": 1}),
    "librechat, flat": (Kept(5, 1, 1, 1, 1, 0, 0, 1), {"picture": 1}),
    "lm-studio": (Kept(5, 1, 1, 1, 1, 0, 0, 1), {"picture": 1}),
    "cherry-studio .zip": (Kept(7, 1, 1, 1, 1, 1, 1, 2), {"translation": 1}),
    "takeout .zip": (Kept(5, 0, 0, 0, 0, 1, 0, 0), {"activity that is no prompt": 1}),
}


@pytest.mark.parametrize("name", exports.EXPORTS)
def test_what_an_export_has_is_kept_and_what_is_lost_is_counted(name: str, tmp_path: Path):
    imported = brought(tmp_path, *exports.EXPORTS[name])
    assert (kept(imported), dict(imported.losses.left_out), imported.refused) == (*EXPECTED[name], 0)
    for archive in imported.archives:
        assert make_sound(archive) == (archive, ())
        assert archive.chat.title
        assert archive.records[0].created_utc.startswith("202")


def test_every_format_is_in_the_table(tmp_path: Path):
    """The table is printed with `pytest -s`: what comes in, and what is lost, by kind."""
    for name, (file, body) in exports.EXPORTS.items():
        imported = brought(tmp_path, file, body)
        lost = ", ".join(f"{number} {kind}" for kind, number in imported.losses.left_out.items())
        print(f"{name:20} {kept(imported)}  lost: {lost or 'nothing'}")
    shown = {name.split(" ")[0].rstrip(",") for name in exports.EXPORTS}
    assert {one.name for one in FORMATS} - shown == {"sharegpt", "openai"}


@pytest.mark.parametrize(
    ("recognise", "body"),
    [
        (is_chatgpt, exports.chatgpt()), (is_claude, exports.claude()), (is_open_webui, exports.open_webui()),
        (is_librechat, exports.librechat()), (is_lmstudio, exports.lmstudio()), (is_cherry, exports.cherry_data()),
        (is_gemini, exports.gemini()),
    ],
)  # fmt: skip
def test_each_is_recognised_by_its_own_reader_alone(recognise: Callable[[dict[str, Any]], bool], body: bytes):
    document = json.loads(body)
    first = document[0] if isinstance(document, list) else document
    found = [one.recognise for one in FORMATS if one.recognise(first)]
    assert found[0] is recognise
    assert not recognise({"messages": [{"role": "user", "content": "Hi"}]})


def test_chatgpts_branches_and_what_was_thought(tmp_path: Path):
    (archive,) = brought(tmp_path, *exports.EXPORTS["chatgpt .zip"]).archives
    assert archive.chat.leaf == "a3"
    question, answer = archive.records[0].entry, archive.records[1].entry
    assert isinstance(question, Message)
    assert isinstance(answer, Message)
    assert [(image.width, image.height, image.after) for image in question.images] == [(3, 2, 0)]
    assert [thought.text for thought in answer.thinking] == ["Looking\n\nIt has feathers."]


def test_thoughts_that_no_answer_followed_are_counted():
    chat = exports.chatgpt_chat()
    del (
        chat["mapping"]["a1"],
        chat["mapping"]["q2"],
        chat["mapping"]["c1"],
        chat["mapping"]["r1"],
        chat["mapping"]["a3"],
    )
    back = import_files([("c.json", exports.dumped([{**chat, "current_node": "a2"}]))], fresh())
    assert back.losses.left_out["thinking that no answer followed"] == 1


def test_claudes_words_may_stand_in_either_place(tmp_path: Path):
    (archive,) = brought(tmp_path, *exports.EXPORTS["claude"]).archives
    assert said(archive) == [
        ("user", "Sum this up"), ("assistant", ""), ("tool", "nothing"), ("assistant", "It says little."),
        ("user", "Thanks"), ("assistant", "You are welcome."), ("assistant", "Another answer."),
    ]  # fmt: skip
    assert archive.records[0].attached == ("pasted text",)
    flat = json.loads(exports.claude())
    for message in flat[0]["chat_messages"]:
        del message["parent_message_uuid"]
    (linear,) = import_files([("c.json", exports.dumped(flat))], fresh()).archives
    assert [record.parent for record in linear.records][:2] == [None, "m1"]
    assert len({record.parent for record in linear.records}) == len(linear.records)


def test_claudes_result_without_an_id_belongs_to_its_call():
    blocks = [
        {"type": "tool_use", "name": "look", "input": {}},
        {"type": "tool_result", "content": "seen"},
        {"type": "tool_result", "tool_use_id": "nobody", "content": [{"type": "image"}]},
        {"type": "knowledge"},
    ]
    chat = {
        "uuid": "c",
        "name": "",
        "chat_messages": [{"uuid": "m", "sender": "alien", "content": blocks}, 3],
    }
    back = import_files([("c.json", exports.dumped([chat, {"chat_messages": 3}]))], fresh())
    assert said(back.archives[0]) == [("user", ""), ("tool", "seen")]
    assert dict(back.losses.left_out) == {
        "image in a tool's result": 1, "result of a tool that was not called": 1, "knowledge": 1,
        "message that is no object": 1,
    }  # fmt: skip


def test_a_long_chat_of_librechat_is_deep_and_comes_in():
    """Each message stands inside the one it answers: two hundred levels are a hundred messages."""
    message: dict[str, Any] = {}
    for number in range(150, 0, -1):
        message = {"messageId": f"m{number}", "isCreatedByUser": number % 2 == 1, "text": f"said {number}",
                   "children": [message] if message else []}  # fmt: skip
    document = {"conversationId": "deep", "title": "Deep", "recursive": True, "messagesTree": [message]}
    (archive,) = import_files([("x.json", exports.dumped(document))], fresh()).archives
    assert [record.id for record in archive.records] == [f"m{number}" for number in range(1, 151)]


def test_lm_studios_chosen_version_is_in_view(tmp_path: Path):
    (archive,) = brought(tmp_path, *exports.EXPORTS["lm-studio"]).archives
    assert archive.chat.leaf == archive.records[-1].id
    assert said(archive)[-1] == ("assistant", "Four.")
    assert (archive.chat.id, archive.chat.settings.system_prompt) == (
        "lmstudio-20241219002450123",
        "Roll fairly.",
    )


def test_lm_studios_files_beside_come_along(tmp_path: Path):
    (tmp_path / "chats").mkdir()
    (tmp_path / "chats" / "a.conversation.json").write_bytes(exports.lmstudio())
    (tmp_path / "user-files").mkdir()
    (tmp_path / "user-files" / "1734 - die.png").write_bytes(exports.png())
    found = read_paths([str(tmp_path)])
    imported = merged(list(read_groups(found.groups, fresh())))
    assert (kept(imported).pictures, imported.losses.left_out) == (1, {})


def test_cherrys_first_backups_had_no_blocks():
    topic = {"id": "t", "messages": [
        {"id": "m1", "role": "user", "content": "Hi"}, {"id": "m0", "type": "clear"},
        {"id": "m2", "role": "assistant", "content": "Ho", "reasoning_content": "Hm", "blocks": ["gone"]}, 7,
    ]}  # fmt: skip
    document = {"version": 1, "localStorage": {"persist:cherry-studio": "{"}, "indexedDB": [
        {"key": "topic:t", "value": topic}, {"key": "image://avatar", "value": 1}]}  # fmt: skip
    back = import_files([("data.json", exports.dumped(document))], fresh())
    assert said(back.archives[0]) == [("user", "Hi"), ("assistant", "Ho")]
    assert sum(back.losses.left_out.values()) == 3


def test_what_gemini_says_in_other_languages_is_a_prompt_if_it_was_answered():
    entry = {"header": "Gemini-Apps", "title": "Prompt eingegeben: Hallo", "time": "2025-05-01T08:00:00Z",
             "safeHtmlItem": [{"html": "<p>Tag</p>"}]}  # fmt: skip
    back = import_files(
        [("MyActivity.json", exports.dumped([entry, {**entry, "safeHtmlItem": []}]))], fresh()
    )
    assert said(back.archives[0]) == [("user", "Prompt eingegeben: Hallo"), ("assistant", "Tag")]
    assert back.losses.left_out == {"activity that is no prompt": 1}


@pytest.mark.parametrize(
    ("document", "found"),
    [
        ({"messages": [{"body": "Hi", "who": "me"}]}, "messages; in a list of 1: body, who"),
        ({"messages": []}, "messages"),
        ([{"mapping": {}, "title": "x"}, {"mapping": {}}], "2 things with mapping, title"),
        (
            {"conversationId": "c", "messages": [{"messageId": "m", "parts": 1}]},
            "in a list of 1: messageId, parts",
        ),
        (
            {"messages": [{"versions": [{"role": "user", "blob": 1}]}]},
            "messages; in a list of 1: versions",
        ),
    ],
)
def test_a_file_that_would_come_out_empty_is_refused_with_what_was_found(document: Any, found: str):
    """LibreChat's and LM Studio's exports were imported as empty chats, and nothing was said."""
    back = import_files([("x.json", exports.dumped(document))], fresh())
    assert (back.archives, back.refused) == ((), 1)
    (refusal,) = (one for one in back.problems if one.startswith("x.json: no message in it says anything"))
    assert found in refusal.partition("; found: ")[2]


def test_an_empty_chat_among_others_is_counted():
    chats = [exports.chatgpt_chat(), {"mapping": {}, "title": "nothing", "id": "e"}]
    back = import_files([("x.json", exports.dumped(chats))], fresh())
    assert (len(back.archives), back.refused) == (1, 0)
    assert back.losses.left_out["chat without messages"] == 1


def test_what_a_document_holds_is_said_shortly():
    assert found_in({f"field {n}": n for n in range(20)}).endswith("field 7…")
    assert found_in([1, 2]) == "2 things with no fields"


@pytest.mark.parametrize("name", exports.EXPORTS)
def test_no_damage_ends_in_a_traceback(name: str, tmp_path: Path):
    """A hundred and fifty of each in a thorough run: bytes and archives flipped, cut, doubled and swapped."""
    file, body = exports.EXPORTS[name]
    chance = random.Random(name)
    for _ in range(tries(150)):
        (tmp_path / file).write_bytes(mutated(body, chance))
        found = read_paths([str(tmp_path / file)])
        try:
            for part in read_groups(found.groups, fresh()):
                for archive in part.archives:
                    make_sound(archive)
        finally:
            found.close()


@pytest.mark.parametrize("name", [name for name in exports.EXPORTS if "zip" not in name])
def test_any_value_may_stand_anywhere(name: str):
    """Valid JSON whose values are of other kinds than the schema says."""
    _, body = exports.EXPORTS[name]
    chance = random.Random(name)
    for _ in range(tries(150)):
        document = json.loads(body)
        _swap(document, chance)
        for archive in import_files([("x.json", exports.dumped(document))], fresh()).archives:
            make_sound(archive)


def _swap(document: Any, chance: random.Random) -> None:
    places: list[tuple[Any, Any]] = []
    waiting = [document]
    while waiting:
        one = waiting.pop()
        keys = list(one) if isinstance(one, dict) else range(len(one)) if isinstance(one, list) else ()
        places += [(one, key) for key in keys]
        waiting += [one[key] for key in keys if isinstance(one[key], dict | list)]
    for holder, key in chance.sample(places, min(3, len(places))):
        holder[key] = chance.choice(
            [None, 7, -1.5, "", "words", [], {}, [None], {"a": []}, True, 10**30, "\x00"]
        )
