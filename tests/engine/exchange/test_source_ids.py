"""Ids made from what is said: the same words give the same ids, more words only more of them."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from tests.fakes.archives import fresh, import_files
from tests.fakes.exports import dumped, lmstudio
from workbench.domain.message import Message
from workbench.domain.record import Chat, ChatArchive, Record
from workbench.engine.exchange.imported import Imported
from workbench.engine.exchange.source_ids import SourceIds, placeholders, words_digest


def messages(*words: str) -> dict[str, object]:
    roles = ("user", "assistant")
    return {"messages": [{"role": roles[n % 2], "content": word} for n, word in enumerate(words)]}


def read(*documents: object) -> Imported:
    return import_files([(f"{n}.json", dumped(one)) for n, one in enumerate(documents)], fresh())


def test_a_chat_that_grew_has_the_same_ids_so_far():
    (one,), (more,) = read(messages("Hi", "Ho")).archives, read(messages("Hi", "Ho", "And?", "So.")).archives
    assert one.chat.id == more.chat.id
    assert [r.id for r in more.records][:2] == [r.id for r in one.records]
    assert [r.parent for r in more.records] == [None, *(r.id for r in more.records[:-1])]
    assert more.chat.leaf == more.records[-1].id


def test_words_said_twice_have_an_id_each():
    (one,) = read(messages("Hi", "Ho", "Hi", "Ho")).archives
    assert len({record.id for record in one.records}) == 4


def test_chats_of_one_file_that_begin_alike_are_told_apart_in_order():
    back = read([messages("Hi", "Ho"), messages("Hi", "Ho", "More"), messages("Hey", "Ho")])
    first, second, third = (one.chat.id for one in back.archives)
    assert second == f"{first}-2"
    assert third not in (first, second)
    assert read([messages("Hi", "Ho")]).archives[0].chat.id == first


def test_ids_of_the_file_stay_and_placeholders_are_never_seen():
    back = read({**messages("Hi"), "id": "mine"})
    assert back.archives[0].chat.id == "mine"
    for archive in read(messages("Hi", "Ho")).archives:
        ids = [archive.chat.id, *(record.id for record in archive.records)]
        assert not any(one.startswith("~") for one in ids)


def test_what_a_note_names_follows_its_new_ids():
    back = import_files([("n.md", b"**user**: hi\n[Context: Notes: a.md]\n\n**ai**: ho\n")], fresh())
    (wanted,) = back.wanted
    assert (wanted.chat, wanted.message) == (back.archives[0].chat.id, back.archives[0].records[0].id)


def test_other_versions_of_a_message_have_other_ids():
    (archive,) = import_files([("x.json", lmstudio())], fresh()).archives
    assert len({record.id for record in archive.records}) == len(archive.records)


def test_the_digest_is_of_words_calls_and_what_stands_before():
    one = Message("a", "user", ("Hi",))
    assert words_digest(one) == words_digest(Message("b", "user", ("Hi",)))
    others = {
        words_digest(Message("a", "assistant", ("Hi",))),
        words_digest(Message("a", "user", ("H", "i"))),
    }
    assert words_digest(one) not in {*others, words_digest(one, "before")}
    assert SourceIds().settled(Imported()) == Imported()
    assert placeholders()() == "~1"


def test_a_new_id_changes_nothing_else():
    """Records are copied field by field, for speed: a field that was forgotten would be lost in every import."""
    changed = {"chat", "entry", "parent"}
    values: dict[str, Any] = {each.name: object() for each in fields(Record) if each.name not in changed}
    id_now = placeholders()()
    said: dict[str, Any] = {"thinking": (object(),), "tool_call_id": "call"}
    entry = Message(id_now, "user", ("Hi",), **said)
    record = Record(chat=id_now, entry=entry, parent=None, **values)
    archive = ChatArchive(Chat(id_now, "2026-01-01T00:00:00Z"), (record,))
    (made,) = SourceIds().settled(Imported((archive,))).archives[0].records
    assert {name: getattr(made, name) for name in values} == values
    assert made.entry == replace(entry, id=made.entry.id)
