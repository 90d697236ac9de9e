"""What is kept: plain values, whose defaults are those of a message that is simply there."""

from tests.fakes.turns import user
from workbench.domain.record import Chat, ChatArchive, Record, Standing, Verification
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.turn import Tuning


def test_a_record_is_known_by_its_entry():
    record = Record("c", user("u1"), "2026-01-01T12:00:00Z")
    assert (record.id, record.state, record.parent, record.deleted_utc) == ("u1", "complete", None, None)


def test_nothing_is_shared_between_defaults():
    one, other = Chat("a", ""), Chat("b", "")
    assert one.parameters == other.parameters == {}
    assert one.parameters is not other.parameters


def test_an_archive_of_nothing_but_a_chat():
    archive = ChatArchive(Chat("c", "2026-01-01T12:00:00Z"))
    assert (archive.records, archive.turns, archive.draft) == ((), (), "")
    assert (archive.tuning, archive.chat.settings) == (Tuning(), ContextSettings())


def test_before_the_first_turn_nothing_stands():
    assert (Standing().attached, Standing().library, Standing().trim.boundary) == ((), (), 0)


def test_a_sound_store_has_no_problems():
    assert Verification(pages=1, chats=0, messages=0, turns=0).problems == ()
