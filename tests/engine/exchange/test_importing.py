"""Many files at once: each is recognised, and one that cannot be used stops no other."""

from __future__ import annotations

import json
import random  # noqa: TID251 — mutations are drawn from a fixed seed
from typing import Any

import pytest

from tests.fakes.archives import fresh, full_archive, import_files
from workbench.engine.exchange import importing
from workbench.engine.exchange.elara_format import export_elara
from workbench.engine.exchange.formats import FORMATS
from workbench.engine.exchange.importing import read_groups
from workbench.engine.exchange.soundness import make_sound
from workbench.ports.exchange_files import named_files

FULL = full_archive()
MAPPING = b"""[{"title": "T", "mapping": {"a": {"id": "a", "parent": null, "children": ["b"], "message": {"id": "a",
"author": {"role": "user"}, "content": {"content_type": "text", "parts": ["Hi"]}}}, "b": {"id": "b", "parent": "a",
"message": {"author": {"role": "assistant"}, "content": {"content_type": "text", "parts": ["Ho"]}}}},
"current_node": "b"}]"""
NOTE = b"**user**: hi\n[Context: Notes: a.md]\n\n**ai**: ho\n"
EXPORTS = [
    (f"{one.name}-{name}", body)
    for one in FORMATS
    for name, body in one.export([FULL])[:1]
    if one.name != "html"  # a page is to be read by people
]
SAMPLES: list[tuple[str, bytes]] = [*EXPORTS, ("conversations.json", MAPPING), ("note.md", NOTE)]


def test_every_format_comes_in():
    back = import_files(SAMPLES, fresh())
    assert len(back.archives) == len(SAMPLES)
    assert (back.problems, back.refused) == ((), 0)


def test_a_note_may_begin_as_json_does():
    back = import_files([("note.md", b"[draft]\n" + NOTE)], fresh())
    assert (len(back.archives), back.problems) == (
        1,
        ("note.md: 1 line before the first message was left out.",),
    )


def test_elaras_files_of_a_folder_are_one_chat():
    back = import_files(
        [*export_elara(FULL), ("x.json", b'{"messages": [{"role": "user", "content": "Hi"}]}')], fresh()
    )
    assert [len(archive.records) for archive in back.archives] == [1, 12]


def test_a_file_that_cannot_be_used_is_named():
    back = import_files([("a.bin", b"\xff"), ("note.md", NOTE), ("b.json", b"{}")], fresh())
    assert (len(back.archives), back.refused) == (1, 2)
    assert back.problems[0] == "a.bin: byte 0: not valid UTF-8; left out"
    assert back.problems[1].startswith("b.json: this is none of the formats")


def test_a_damaged_file_of_elara_is_still_one():
    back = import_files([("20250824T163625123Z_0001_user.json", b"{cut")], fresh())
    assert (back.archives, back.refused) == ((), 1)


def test_problems_bear_the_name_of_their_file():
    raw = json.dumps({"messages": [{"role": "alien", "content": "Hi"}]}).encode()
    assert import_files([("x.json", raw)], fresh()).problems[0].startswith("x.json: chat 1")


@pytest.mark.parametrize("sample", SAMPLES, ids=[name for name, _ in SAMPLES])
def test_no_damage_ends_in_a_traceback(sample: tuple[str, bytes]):
    """Bytes flipped, cut, doubled and swapped for what JSON and Markdown are made of, again and again."""
    name, raw = sample
    chance = random.Random(name)
    for _ in range(300 if len(raw) < 20_000 else 60):
        back = import_files([(name, mutated(raw, chance))], fresh())
        for archive in back.archives:
            make_sound(archive)


def mutated(raw: bytes, chance: Any) -> bytes:
    damaged = bytearray(raw)
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(len(damaged) + 1)
        match chance.randrange(4):
            case 0:
                damaged[place : place + 1] = bytes([chance.randrange(256)])
            case 1:
                del damaged[place : place + chance.randint(1, 50)]
            case 2:
                damaged[place:place] = damaged[place : place + chance.randint(1, 50)]
            case _:
                damaged[place : place + 1] = chance.choice(
                    [b"null", b"[]", b"{}", b'"', b"-1", b"```", b"\n", b"true"]
                )
    return bytes(damaged)


def test_a_long_list_of_chats_comes_in_parts(monkeypatch: pytest.MonkeyPatch):
    """What is held in memory is a part; numbers in what is said, and ids, are those of the whole file."""
    monkeypatch.setattr(importing, "STREAMED_BYTES", 10)
    monkeypatch.setattr(importing, "AT_ONCE", 2)
    chats = [{"messages": [{"role": "user", "content": f"Hi {n}"}]} for n in range(4)]
    raw = json.dumps([*chats, {"title": "broken"}, chats[0]]).encode()
    parts = list(read_groups((named_files(("x.json", raw)),), fresh()))
    assert [len(part.archives) for part in parts if part.archives] == [2, 2, 1]
    assert [part.said for part in parts if part.said] == [
        ("x.json: chat 5: it has no list of messages; left out",)
    ]
    shares = [part.share for part in parts if part.archives]
    assert shares == sorted(shares)
    ids = [archive.chat.id for part in parts for archive in part.archives]
    monkeypatch.setattr(importing, "STREAMED_BYTES", 10**9)
    assert [one.chat.id for one in import_files([("x.json", raw)], fresh()).archives] == ids
    assert ids[4] == f"{ids[0]}-2"


def test_a_long_list_that_breaks_off_gives_what_came_before(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(importing, "STREAMED_BYTES", 10)
    raw = json.dumps([{"messages": [{"role": "user", "content": "Hi"}]}] * 3).encode()[:-20]
    monkeypatch.setattr(importing, "AT_ONCE", 1)
    back = import_files([("x.json", raw)], fresh())
    assert (len(back.archives), back.refused) == (2, 1)
    assert "what came before is there" in back.problems[-1]


def test_a_long_list_of_nothing_known_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(importing, "STREAMED_BYTES", 10)
    back = import_files(
        [
            ("x.json", b'[{"nothing": "known"}, {"here": 1}]'),
            ("y.json", b'[{"mapping": {}}, {"mapping": {}}]'),
        ],
        fresh(),
    )
    assert (back.archives, back.refused) == ((), 2)
