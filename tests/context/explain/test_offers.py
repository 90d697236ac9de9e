"""What is offered behind an @, and in which order."""

from __future__ import annotations

import pytest

from workbench.context.explain.offers import (
    MOST_OFFERS,
    Held,
    attached_offers,
    chat_names,
    command_offers,
    covered,
    each_once,
    file_offers,
    part_offers,
    ranked,
)
from workbench.context.text.at_commands import mentions
from workbench.domain.files.attached import FolderList, ListedFile
from workbench.domain.files.attachment import Artifact
from workbench.domain.files.document import Document, ReadAs, Section
from workbench.domain.record import Chat
from workbench.domain.shown.completion_view import Offer

PATHS = (
    "auth.py",
    "docs/authors.md",
    "src/refresh/token.py",
    "src/read.py",
    "notes 2.md",
    "a`b.md",
    'q"q.md',
)
FILES = file_offers(FolderList("/w", tuple(ListedFile(path) for path in PATHS)))
TEXT = "# One\nalpha\n# Two\nbeta\ngamma\n"
DOCUMENT = Document(
    TEXT, ReadAs("markdown"), (Section("One", "One", 1, 0, 12), Section("Two", "Two", 1, 12, len(TEXT)))
)


def texts(offers: tuple[Offer, ...]) -> list[str]:
    return [offer.text for offer in offers]


def test_only_files_are_offered_that_a_message_can_name():
    assert texts(FILES) == [
        "@auth.py",
        "@docs/authors.md",
        "@src/refresh/token.py",
        "@src/read.py",
        '@"notes 2.md"',
    ]
    for offer in FILES:
        assert [one.name for one in mentions(f"see {offer.text}, please")] == [offer.named]


@pytest.mark.parametrize(
    ("typed", "first"),
    [("auth", "@auth.py"), ("authors", "@docs/authors.md"), ("read", "@read"), ("src/tok", "@src/refresh/token.py"),
     ("rt", "@src/refresh/token.py"), ("n2", '@"notes 2.md"')],
)  # fmt: skip
def test_the_best_match_is_first(typed: str, first: str):
    assert texts(ranked(typed, (*command_offers(), *FILES)))[0] == first


def test_nothing_typed_gives_some_of_each_kind():
    many = file_offers(FolderList("/w", tuple(ListedFile(f"f{n}.md") for n in range(500))))
    chats = [Offer("chat", f"c{n}", f"@chat:c{n}", f"chat:c{n}") for n in range(50)]
    found = ranked("", (*chats, *many, *command_offers()))
    assert len(found) == MOST_OFFERS
    assert [offer.kind for offer in found[:3]] == ["command"] * 3
    assert sum(offer.kind == "chat" for offer in found) == 10


def test_of_two_with_one_name_the_first_is_meant():
    same = Offer("file", "auth.py", "@auth.py", "auth.py", where="elsewhere")
    assert each_once((same, *FILES))[0] is same
    assert texts(each_once((same, *FILES))).count("@auth.py") == 1


def test_a_file_of_which_parts_are_attached_is_offered_whole_too():
    held = [Held(Artifact("/u/s.pdf#p1", "pdf", "x", name="s.pdf#p1"), "/u/s.pdf", "s.pdf", "p1", "/u/s.pdf")]
    found = tuple(attached_offers(held))
    assert [(offer.text, offer.attached, offer.in_part) for offer in found] == [
        ("@s.pdf#p1", True, False), ("@s.pdf", False, True),
    ]  # fmt: skip


def test_chats_are_named_by_title_and_none_that_is_deleted_or_this_one():
    chats = [
        Chat("a1", "", "Plan"), Chat("own", "", "Plan"), Chat("b2", "", "Gone", deleted_utc="2026"),
        Chat("c3", "", "  two\nlines  "), Chat("d4", "", ""), Chat("e5", "", "tur\u202ened"),
    ]  # fmt: skip
    assert {name: chat.id for name, chat in chat_names(chats, "own").items()} == {
        "chat:Plan": "a1", "chat:two lines": "c3",
    }  # fmt: skip


def test_parts_are_found_by_title_range_and_with_the_whole_last():
    assert texts(part_offers("n.md", DOCUMENT, "")) == ["@n.md#One", "@n.md#Two", "@n.md"]
    assert texts(part_offers("n.md", DOCUMENT, "tw")) == ["@n.md#Two", "@n.md"]
    (lines,) = part_offers("n.md", DOCUMENT, "L2-4")
    assert (lines.text, lines.lines) == ("@n.md#L2-4", (2, 4))
    assert texts(part_offers("n.md", DOCUMENT, "L2"))[0] == "@n.md#L2"
    assert part_offers("n.md", DOCUMENT, "nothing") == ()
    assert [offer.lines for offer in part_offers("n.md", DOCUMENT, "")] == [(1, 2), (3, 5), (1, 5)]


def test_what_is_covered_by_attached_parts():
    def held(anchor: str) -> Held:
        return Held(Artifact(f"n.md#{anchor}", "file", "x"), "n.md", "n.md", anchor, "/n.md")

    one, line = held("One"), held("L4")
    assert covered((0, 12), [one], DOCUMENT) == (True, ())
    assert covered((12, len(TEXT)), [one, line], DOCUMENT) == (False, (line,))
    assert covered((0, len(TEXT)), [one, line], DOCUMENT) == (False, (one, line))
    assert covered((0, 5), [held("")], DOCUMENT) == (True, ())
