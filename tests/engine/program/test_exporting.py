"""Chats out of the store: a damaged one keeps none of the others, and only Elara's files are sealed."""

from __future__ import annotations

import json

from tests.fakes.archives import full_archive, plain_archive
from tests.fakes.history import MemoryHistory
from tests.fakes.loop import in_calm_loop
from tests.fakes.turns import assistant, user
from workbench.domain.errors import StoreDamaged
from workbench.domain.record import ChatArchive
from workbench.engine.exchange.formats import FORMATS, find_format
from workbench.engine.program.jobs import collect, damaged_words, exported, is_encrypted, stands_alone

FULL = full_archive()
SHORT = plain_archive(user("q"), assistant("a"), chat="short")


class Sealing:
    """Writes a letter before what it seals → SealedFiles."""

    def seal(self, plain: bytes) -> bytes:
        """Sealed."""
        return b"S" + plain

    def open(self, envelope: bytes) -> bytes:
        """Opened."""
        return envelope[1:]


class Damaged(MemoryHistory):
    """A history of which one chat cannot be read."""

    async def archive(self, chat: str) -> ChatArchive:
        """Everything but the chat `talk`."""
        if chat == "talk":
            raise StoreDamaged("database disk image is malformed")
        return await super().archive(chat)


@in_calm_loop
async def test_a_damaged_chat_is_named_and_the_others_come_once():
    store = Damaged()
    for archive in (FULL, SHORT):
        await store.adopt(archive)
    found = [one async for one in collect(store, ["talk", "short", "talk", "short"])]
    assert [one if isinstance(one, str) else one.chat.id for one in found] == ["talk", "short"]
    assert damaged_words("talk").startswith("talk: damaged, and left out.")


def test_only_elaras_files_are_sealed():
    for chosen in FORMATS:
        plain, sealed = exported(chosen, [SHORT], None), exported(chosen, [SHORT], Sealing())
        assert (plain != sealed) == (chosen.name == "elara")
        assert is_encrypted(chosen, Sealing()) == (chosen.name == "elara")
        assert not is_encrypted(chosen, None)
    assert json.loads(exported(find_format("elara"), [SHORT], None)[0][1])["Alg"] == "PLAINTEXT"


def test_one_file_stands_alone_unless_it_is_one_of_elaras():
    alone = {one.name: stands_alone(one, exported(one, [SHORT], None)) for one in FORMATS}
    assert alone == {
        "json": True,
        "markdown": True,
        "html": True,
        "openai": True,
        "sharegpt": True,
        "elara": False,
    }
    markdown = find_format("markdown")
    assert not stands_alone(markdown, exported(markdown, [SHORT, FULL], None))
    one = plain_archive(user("q"), chat="one")
    assert not stands_alone(find_format("elara"), exported(find_format("elara"), [one], None))
