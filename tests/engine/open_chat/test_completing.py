"""What is offered while a name is typed, what it would cost, and that the words it inserts mean what was offered."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from tests.fakes.attachments import MemoryAttachments
from tests.fakes.chat_model import words
from tests.fakes.engine import SETTINGS, Bench, fake_bench
from tests.fakes.loop import in_calm_loop, until
from workbench.domain.files.document import AS_FOUND, Document, Reading, Section
from workbench.domain.files.folder import FollowedFolder
from workbench.domain.shown.completion_view import CompletionView, Offer, verdict_on
from workbench.engine.attaching_intents import AttachNamed, ChooseParts, Complete, FollowFolder
from workbench.engine.intents import (
    AttachFiles,
    AttachText,
    ChangeSettings,
    DeleteChat,
    DetachArtifacts,
    EditDraft,
    ListChats,
    RenameChat,
    SendMessage,
    StartChat,
)
from workbench.engine.open_chat import chat as mentions_ahead
from workbench.engine.open_chat import completing

FILES = {
    "notes.md": "one\ntwo\nthree\nfour\n",
    "src/auth.py": "def login():\n    pass\n",
    "src/author.py": "x = 1\n",
    "spec.txt": "first page\fsecond page\fthird page",
    "my notes.md": "spaces\n",
}


@pytest.fixture(autouse=True)
def _at_once(monkeypatch):
    monkeypatch.setattr(mentions_ahead, "SETTLE_S", 0.02)
    monkeypatch.setattr(completing, "SETTLE_S", 0.0)


async def bench_with(files: dict[str, str] | None = None) -> Bench:
    attachments = MemoryAttachments(FILES if files is None else files)
    bench = fake_bench(words("So."), words("So."), attachments=attachments)
    await bench.start()
    await bench.calm()
    return bench


def view_of(bench: Bench) -> CompletionView | None:
    return bench.workbench.state.open["talk"].completion


async def offered(bench: Bench, before: str, after: str = "") -> tuple[Offer, ...]:
    """What is offered once all of what is in sight is counted."""
    await bench.workbench.dispatch(Complete("talk", before, after))
    await until(lambda: not bench.world.tasks.is_at("complete a name"))
    view = view_of(bench)
    return () if view is None else view.offers


def named(offers: tuple[Offer, ...]) -> list[str]:
    return [offer.text for offer in offers]


def attached(bench: Bench) -> dict[str, str]:
    return {one.key: one.text for one in bench.workbench.state.open["talk"].conversation.attached}


@in_calm_loop
async def test_an_at_sign_offers_commands_files_and_other_chats():
    bench = await bench_with()
    await bench.workbench.dispatch(StartChat("other", SETTINGS, "Token refresh"), ListChats())
    found = await offered(bench, "look at @")
    assert named(found) == [
        "@read", "@search", "@ls", "@notes.md", "@src/auth.py", "@src/author.py", "@spec.txt", '@"my notes.md"',
        '@"chat:Token refresh"',
    ]  # fmt: skip
    kinds = {offer.text: (offer.name, offer.where, offer.kind) for offer in found}
    assert kinds["@src/auth.py"] == ("auth.py", "src", "file")
    assert kinds['@"chat:Token refresh"'] == ("Token refresh", "", "chat")


@in_calm_loop
async def test_letters_find_the_best_match_first():
    bench = await bench_with()
    assert named(await offered(bench, "@auth"))[:2] == ["@src/auth.py", "@src/author.py"]
    assert named(await offered(bench, "@re"))[0] == "@read"
    assert named(await offered(bench, "@src/a"))[0] == "@src/auth.py"
    assert (await offered(bench, "@au"))[0].marks == (0, 1)
    assert named(await offered(bench, '@"my no')) == ['@"my notes.md"']
    assert named(await offered(bench, "@zzz")) == []


@pytest.mark.parametrize(
    "before", ["lena@re", "plain", "@read", "```\n@no", "    @no", "@notes.md and", "say `@no"]
)
@in_calm_loop
async def test_nothing_is_offered_where_no_name_begins(before: str):
    bench = await bench_with()
    after = "`" if "`@" in before else ""
    assert await offered(bench, before, after) == ()
    assert view_of(bench) is None


@in_calm_loop
async def test_what_an_offer_costs_is_what_the_next_request_costs_more():
    """The figure beside an offer and the request that is made of it come from different places: they must agree."""
    bench = await bench_with()
    await bench.workbench.dispatch(EditDraft("talk", "Please read @not"))
    await bench.calm()
    before = bench.workbench.state.open["talk"].view
    assert before is not None
    best = (await offered(bench, "Please read @not"))[0]
    assert best.named == "notes.md"
    assert best.tokens
    await bench.workbench.dispatch(AttachNamed("talk", (best.named,)))
    await bench.calm()
    after = bench.workbench.state.open["talk"].view
    assert after is not None
    assert after.total_tokens - before.total_tokens == best.added_tokens
    assert attached(bench) == {"notes.md": FILES["notes.md"]}
    await until(lambda: not bench.world.tasks.is_at("complete a name"))
    view = view_of(bench)
    assert view is not None, "it stays open for the next"
    again = next(offer for offer in view.offers if offer.named == "notes.md")
    assert (again.kind, again.attached) == ("attached", True)
    assert verdict_on(again, after).code == "attached"


@in_calm_loop
async def test_what_is_attached_says_what_it_costs_in_the_request_as_it_stands():
    bench = await bench_with()
    await bench.workbench.dispatch(AttachFiles("talk", ("notes.md",)), EditDraft("talk", "@not"))
    await bench.calm()
    assert (await offered(bench, "@not"))[0].tokens == bench.workbench.state.open["talk"].attachments[
        0
    ].tokens
    settings = replace(SETTINGS, counter="chars4")
    await bench.workbench.dispatch(ChangeSettings("talk", settings))

    def told_anew() -> bool:
        chat, view = bench.workbench.state.open["talk"], view_of(bench)
        assert view is not None
        return view.offers[0].estimated and view.offers[0].tokens == chat.attachments[0].tokens

    await until(told_anew)


@in_calm_loop
async def test_only_what_is_in_sight_is_read_and_counted():
    files = {f"file{number:03}.md": f"words of {number}" for number in range(100)}
    bench = await bench_with(files)
    await offered(bench, "@file")
    found = await offered(bench, "@file")
    assert [offer.tokens is not None for offer in found] == [
        n < completing.IN_SIGHT for n in range(len(found))
    ]
    await bench.workbench.dispatch(Complete("talk", "@file", first=20))
    await until(lambda: not bench.world.tasks.is_at("complete a name"))
    view = view_of(bench)
    assert view is not None
    assert all(offer.tokens is not None for offer in view.offers[20 : 20 + completing.IN_SIGHT])


@in_calm_loop
async def test_a_late_answer_is_dropped():
    bench = await bench_with()
    for number in range(1, 6):
        await bench.workbench.dispatch(Complete("talk", "@auth"[: number + 1]))
    await until(lambda: not bench.world.tasks.is_at("complete a name"))
    shown = [one for one in bench.shows("completion") if one is not None]
    assert {view.begun.word for view in shown} <= {"auth", "a"}
    await bench.workbench.dispatch(Complete("talk", "@auth"), Complete("talk"))
    await asyncio.sleep(0.05)
    assert view_of(bench) is None


@in_calm_loop
async def test_parts_of_a_file_with_the_whole_of_it_last():
    bench = await bench_with()
    found = await offered(bench, "@spec.txt#")
    assert named(found) == ["@spec.txt#p1", "@spec.txt#p2", "@spec.txt#p3", "@spec.txt"]
    assert [offer.kind for offer in found] == ["part", "part", "part", "whole"]
    assert found[1].pages == (2, 2)
    assert found[3].pages == (1, 3)
    assert all(offer.tokens for offer in found)
    view = view_of(bench)
    assert view is not None
    assert view.file == "spec.txt"
    typed = await offered(bench, "@spec.txt#p2-3")
    assert [(offer.text, offer.pages) for offer in typed] == [("@spec.txt#p2-3", (2, 3))]
    lines = await offered(bench, "@notes.md#L2-3")
    assert [(offer.text, offer.lines) for offer in lines] == [("@notes.md#L2-3", (2, 3))]
    assert await offered(bench, "@notes.md#L200-300") == ()
    assert named(await offered(bench, "@SPEC.txt#p1"))[0] == "@spec.txt#p1"


@in_calm_loop
async def test_a_part_that_is_attached_is_chosen_and_only_the_rest_counts():
    bench = await bench_with()
    await bench.workbench.dispatch(AttachFiles("talk", ("spec.txt#p2",)), EditDraft("talk", "@spec.txt#"))
    await bench.calm()
    found = {offer.text: offer for offer in await offered(bench, "@spec.txt#")}
    assert found["@spec.txt#p2"].attached
    assert not found["@spec.txt#p1"].attached
    whole, part = found["@spec.txt"], found["@spec.txt#p2"]
    assert whole.in_part
    assert whole.tokens
    assert part.tokens
    before = bench.workbench.state.open["talk"].view
    assert before is not None
    await bench.workbench.dispatch(ChooseParts("talk", "spec.txt", (), whole=True))
    await bench.calm()
    after = bench.workbench.state.open["talk"].view
    assert after is not None
    assert after.total_tokens - before.total_tokens == whole.added_tokens
    again = {offer.text: offer for offer in await offered(bench, "@spec.txt#")}
    assert all(offer.attached for offer in again.values())


class Outlined(MemoryAttachments):
    """Files with headings that are hard to write → AttachmentReader."""

    async def document(self, name: str, content: bytes, reading: Reading = AS_FOUND) -> Document:
        """Every line is a heading."""
        text, place, sections = content.decode(), 0, []
        for line in text.splitlines(keepends=True):
            title = line.strip()
            sections.append(Section(title.replace(" ", "-"), title, 1, place, place + len(line)))
            place += len(line)
        return Document(text, sections=tuple(sections))


@in_calm_loop
async def test_sections_are_found_by_their_titles_and_only_offered_where_they_can_be_named():
    bench = fake_bench(
        words("So."), attachments=Outlined({"a.md": 'Clock skew\nErrors (all)\nThe "big" one\nTail.\n'})
    )
    await bench.start()
    assert [offer.name for offer in await offered(bench, "@a.md#")] == [
        "Clock skew",
        "Errors (all)",
        "Tail.",
        "a.md",
    ]
    found = await offered(bench, "@a.md#cs")
    assert (found[0].name, found[0].text) == ("Clock skew", "@a.md#Clock-skew")
    errors = await offered(bench, "@a.md#err")
    await bench.workbench.dispatch(EditDraft("talk", f"see {errors[0].text} please"))
    await until(lambda: list(attached(bench)) == ["a.md#Errors-(all)"])


HOSTILE = {
    "a#b.md": "sharp",
    'quo"te.md': "quoted",
    "new\nline.md": "broken",
    "tur\u202ened.md": "turned",
    " lead.md": "space",
    "tick`.md": "tick",
    "read": "a command's name",
    "end.": "a dot",
    "@at.md": "at",
    "with space.md": "space",
    "ünï çödé.md": "letters",
    "half\udce9.md": "half",
}


@in_calm_loop
async def test_every_text_that_is_offered_means_the_file_it_was_offered_for():
    """A name that is inserted and then means nothing, or something else, would be sent as a plain word."""
    files = {name: text for name, text in HOSTILE.items() if "\udce9" not in name}
    bench = await bench_with(files)
    found = [offer for offer in await offered(bench, "@") if offer.kind == "file"]
    assert {offer.named for offer in found} == {
        "a#b.md", "read", "end.", "@at.md", "with space.md", "ünï çödé.md"
    }  # fmt: skip
    draft = " and ".join(offer.text for offer in found)
    await bench.workbench.dispatch(Complete("talk"), EditDraft("talk", f"{draft}, please"))
    await until(lambda: len(attached(bench)) == len(found))
    assert attached(bench) == {offer.named: files[offer.named] for offer in found}


@in_calm_loop
async def test_what_is_attached_from_elsewhere_and_its_parts_are_named_as_they_are_told():
    files = {**FILES, "/home/u/papers/report.txt": "alpha\fbeta\fgamma"}
    bench = await bench_with(files)
    await bench.workbench.dispatch(AttachFiles("talk", ("/home/u/papers/report.txt#p1",)))
    store = bench.world.store
    held = await store.attached("talk")
    await store.save_attached("talk", [replace(one, name="report.txt#p1") for one in held])
    await bench.workbench.dispatch(AttachText("talk", "a pasted text", "Pasted"))
    found = await offered(bench, "@report")
    assert named(found)[:2] == ["@report.txt", "@report.txt#p1"] or named(found)[:2] == [
        "@report.txt#p1",
        "@report.txt",
    ]
    parts = await offered(bench, "@report.txt#")
    assert named(parts) == ["@report.txt#p1", "@report.txt#p2", "@report.txt#p3", "@report.txt"]
    await bench.workbench.dispatch(Complete("talk"), EditDraft("talk", f"see {parts[2].text}"))
    await until(lambda: "/home/u/papers/report.txt#p3" in attached(bench))
    await bench.workbench.dispatch(EditDraft("talk", f"see {parts[3].text}"))
    await until(lambda: "/home/u/papers/report.txt" in attached(bench))
    assert [key for key in attached(bench) if "report" in key] == ["/home/u/papers/report.txt"]


@in_calm_loop
async def test_files_of_an_attached_folder_are_offered_under_its_name():
    inside = {f"/home/u/project/{name}": name for name in ("a.md", "b.md", "src/c.py", ".hidden/d.md")}
    bench = await bench_with({"notes.md": "n", **inside})
    await bench.workbench.dispatch(AttachFiles("talk", ("/home/u/project/a.md", "/home/u/project/b.md")))
    store = bench.world.store
    held = await store.attached("talk")
    await store.save_attached("talk", [replace(one, name=one.key.removeprefix("/home/u/")) for one in held])
    await bench.workbench.dispatch(DetachArtifacts("talk", ("nothing",)))
    found = await offered(bench, "@c.py")
    assert named(found) == ["@project/src/c.py"]
    assert found[0].tokens
    await bench.workbench.dispatch(
        Complete("talk"), EditDraft("talk", "see @project/src/c.py and @project/.hidden/d.md")
    )
    await until(lambda: "/home/u/project/src/c.py" in attached(bench))
    await asyncio.sleep(0.05)
    assert "/home/u/project/.hidden/d.md" not in attached(bench)


@in_calm_loop
async def test_files_of_a_followed_folder_are_offered_under_its_name():
    bench = await bench_with({"/home/u/papers/new.md": "fresh words"})
    await bench.workbench.dispatch(FollowFolder("talk", FollowedFolder("/home/u/papers")))
    await until(lambda: bool(bench.workbench.state.open["talk"].followed))
    found = await offered(bench, "@new")
    assert named(found) == ["@papers/new.md"]
    await bench.workbench.dispatch(Complete("talk"), EditDraft("talk", "see @papers/new.md"))
    await until(lambda: attached(bench) == {"/home/u/papers/new.md": "fresh words"})


@in_calm_loop
async def test_another_chat_is_attached_as_text_and_a_model_is_told_no_way_to_read_it():
    bench = await bench_with()
    await bench.workbench.dispatch(StartChat("other", SETTINGS, 'The "old" plan'))
    await bench.do(SendMessage("other", "What shall we do?"))
    await bench.workbench.dispatch(
        StartChat("gone", SETTINGS, "Deleted plan"), DeleteChat("gone"), ListChats()
    )
    found = await offered(bench, "@plan")
    assert named(found) == ["@\"chat:The 'old' plan\""]
    assert found[0].tokens
    assert named(await offered(bench, '@"chat:the ol')) == ["@\"chat:The 'old' plan\""]
    before = bench.workbench.state.open["talk"].view
    await bench.workbench.dispatch(AttachNamed("talk", (found[0].named,)))
    await bench.calm()
    (note,) = bench.workbench.state.open["talk"].conversation.attached
    assert (note.key, note.kind, note.recoverable) == ("chat:The 'old' plan", "note", True)
    assert "What shall we do?" in note.text
    assert "So." in note.text
    assert note.recovery_tool not in ("read", "search", "ls", "grep", "fetch")
    after = bench.workbench.state.open["talk"].view
    assert before is not None
    assert after is not None
    assert after.total_tokens - before.total_tokens == found[0].added_tokens


@in_calm_loop
async def test_two_chats_with_one_title_are_told_apart():
    bench = await bench_with({})
    await bench.workbench.dispatch(
        StartChat("first1", SETTINGS, "Plan"), StartChat("second", SETTINGS, "Plan"), ListChats()
    )
    found = await offered(bench, "@plan")
    assert sorted(named(found)) == ['@"chat:Plan ~first1"', '@"chat:Plan ~second"']
    await bench.workbench.dispatch(RenameChat("first1", "Other"), ListChats())
    assert "@chat:Plan" in named(await offered(bench, "@plan"))
    await bench.workbench.dispatch(Complete("talk"), EditDraft("talk", "as in @chat:Plan"))
    await until(lambda: list(attached(bench)) == ["chat:Plan"])


@in_calm_loop
async def test_a_name_that_is_still_being_completed_is_not_followed():
    """A pause at @spec.txt would else attach all of it before a part can be chosen."""
    bench = await bench_with()
    await bench.workbench.dispatch(Complete("talk", "see @spec.txt"))
    await until(lambda: view_of(bench) is not None)
    await bench.workbench.dispatch(EditDraft("talk", "see @spec.txt"))
    await asyncio.sleep(0.15)
    assert attached(bench) == {}
    await bench.workbench.dispatch(Complete("talk"))
    await until(lambda: list(attached(bench)) == ["spec.txt"])


@in_calm_loop
async def test_what_is_gone_when_it_is_taken_is_said():
    bench = await bench_with()
    await bench.workbench.dispatch(AttachNamed("talk", ("gone.md",)))
    assert bench.workbench.state.notices[-1].text == "Not attached: gone.md (it is not there any more)."


@in_calm_loop
async def test_a_file_that_cannot_be_read_says_why():
    bench = await bench_with()
    await offered(bench, "@notes")
    del bench.world.attachments.files["notes.md"]  # type: ignore[attr-defined]
    (found,) = (offer for offer in await offered(bench, "@notes.md") if offer.named == "notes.md")
    assert found.problem == "it is not there any more" or found.tokens
