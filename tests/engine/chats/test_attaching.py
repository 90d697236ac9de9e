"""What a person attaches is kept as it is now and seen at once; what cannot be attached is named."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from tests.domain.files.test_pictures import PNG
from tests.fakes.engine import SETTINGS, Bench, FilesInMemory, fake_bench
from tests.fakes.fragile_history import FragileHistory
from tests.fakes.loop import in_calm_loop
from tests.fakes.turns import artifact
from workbench.domain.errors import StoreFull
from workbench.domain.files.attached import MOST_ATTACHED_BYTES, CannotAttach, LeftOut
from workbench.domain.secrets import Secret
from workbench.engine.chats.attaching import NothingAttached
from workbench.engine.events import NoticeGiven
from workbench.engine.intents import (
    AttachArtifact,
    AttachFiles,
    AttachPicture,
    AttachText,
    DetachArtifacts,
    RefreshArtifacts,
    SendMessage,
)


async def opened(**changes: object) -> Bench:
    bench = fake_bench(**{"store": FragileHistory(), **changes})
    await bench.start()
    return bench


def attached(bench: Bench) -> list[tuple[str, str, int]]:
    shown = bench.workbench.state.open["talk"].conversation.attached
    return [(one.key, one.text, one.priority) for one in shown]


def keys(bench: Bench) -> list[str]:
    return [key for key, _, _ in attached(bench)]


def notices(bench: Bench) -> list[str]:
    return [event.text for event in bench.told(NoticeGiven)]


@in_calm_loop
async def test_a_file_is_attached_as_it_is_now_and_keeps_its_priority_when_read_again():
    files = FilesInMemory(a="Alpha.")
    bench = await opened(attachments=files)
    await bench.workbench.dispatch(AttachFiles("talk", ("a",)))
    (first,) = bench.workbench.state.open["talk"].conversation.attached
    await bench.workbench.dispatch(AttachArtifact("talk", replace(first, priority=9, essential=False)))
    files.texts["a"] = "Omega."
    await bench.workbench.dispatch(AttachFiles("talk", ("a",)))
    assert attached(bench) == [("a", "Omega.", 9)]
    taken = await bench.world.store.snapshots("talk")
    assert [(one.artifact.text, one.content) for one in taken] == [
        ("Alpha.", b"Alpha."), ("Omega.", b"Omega."),
    ]  # fmt: skip
    prepared = bench.workbench.state.open["talk"].prepared
    assert prepared is not None
    assert "Omega." in prepared.built.envelope.messages[-1].content


@in_calm_loop
async def test_of_several_files_all_that_can_be_read_are_attached_and_the_others_named():
    bench = await opened(attachments=FilesInMemory(a="Alpha.", c="Gamma."))
    await bench.workbench.dispatch(AttachFiles("talk", ("a", "b", "https://x.example/page", "c")))
    assert keys(bench) == ["a", "c"]
    assert notices(bench) == [
        "Not attached: b (there is no such file), https://x.example/page (there is no such file)."
    ]


@in_calm_loop
async def test_where_nothing_can_be_attached_that_is_an_error():
    bench = await opened()
    with pytest.raises(CannotAttach, match="there is no such file"):
        await bench.workbench.dispatch(AttachFiles("talk", ("b",)))
    with pytest.raises(CannotAttach, match=r"https://x\.example was not attached"):
        await bench.workbench.dispatch(AttachFiles("talk", ("https://x.example",)))
    with pytest.raises(NothingAttached, match=r"Nothing was attached\. Not attached: b .*, c "):
        await bench.workbench.dispatch(AttachFiles("talk", ("b", "c")))
    await bench.workbench.dispatch(AttachFiles("talk", ()))
    assert (keys(bench), notices(bench)) == ([], [])


@in_calm_loop
async def test_a_store_that_takes_nothing_is_no_refused_file():
    store = FragileHistory()
    bench = await opened(attachments=FilesInMemory(a="Alpha.", b="Beta."), store=store)
    store.refusing.add("keep_snapshot")
    with pytest.raises(StoreFull):
        await bench.workbench.dispatch(AttachFiles("talk", ("a", "b")))
    assert keys(bench) == []


@in_calm_loop
async def test_a_folder_gives_its_files_and_names_what_it_leaves_out():
    files = FilesInMemory(**{"docs/a.md": "Alpha.", "docs/b.md": "Beta.", "c.md": "Gamma."})
    files.left_out = {
        "docs": tuple(LeftOut(f"{n}.bin", "not text") for n in range(20)),
        "empty": (LeftOut("x.bin", "not text"),),
    }
    bench = await opened(attachments=files)
    await bench.workbench.dispatch(AttachFiles("talk", ("docs", "c.md")))
    assert keys(bench) == ["docs/a.md", "docs/b.md", "c.md"]
    (said,) = notices(bench)
    assert said.startswith("Not attached: 0.bin (not text), 1.bin (not text),")
    assert said.endswith("11.bin (not text) and 8 more.")
    with pytest.raises(CannotAttach, match="there is no text file in it"):
        await bench.workbench.dispatch(AttachFiles("talk", ("empty",)))


@in_calm_loop
async def test_what_is_attached_at_the_same_time_is_all_attached():
    """Each change reads what is attached and writes it back; side by side, one would undo the other."""
    bench = await opened(attachments=FilesInMemory(f="File."))
    await asyncio.gather(
        *(bench.workbench.dispatch(AttachArtifact("talk", artifact(key))) for key in "abc"),
        *(bench.workbench.dispatch(AttachText("talk", text)) for text in ("One.", "Two.")),
        bench.workbench.dispatch(AttachFiles("talk", ("f",))),
        bench.workbench.dispatch(AttachPicture("talk", PNG)),
    )
    found = {key.partition(":")[0] for key in keys(bench)}
    assert (len(keys(bench)), found) == (7, {"a", "b", "c", "f", "clipboard", "picture"})
    await bench.workbench.dispatch(DetachArtifacts("talk", ("a", "c", "never")))
    assert len(keys(bench)) == 5


@in_calm_loop
async def test_pasted_text_is_never_shortened_or_dropped():
    bench = await opened()
    await bench.workbench.dispatch(AttachText("talk", "Half a \ud83d character", "From a page"))
    await bench.workbench.dispatch(AttachText("talk", "Another."))
    await bench.workbench.dispatch(AttachText("talk", "A passage.", kind="selection"))
    first, second, third = bench.workbench.state.open["talk"].conversation.attached
    assert (first.key, first.text, first.title) == ("clipboard", "Half a \ufffd character", "From a page")
    assert (second.key, third.key, third.kind) == ("clipboard:2", "selection", "selection")
    assert [(one.essential, one.recoverable) for one in (first, second, third)] == [(True, False)] * 3
    taken = await bench.world.store.snapshots("talk")
    assert [one.content for one in taken][1:] == [b"Another.", b"A passage."]
    assert await bench.world.store.copies("talk") == ()


@in_calm_loop
async def test_text_that_says_nothing_or_far_too_much_is_refused():
    bench = await opened()
    for text, reason in (
        ("  \n", "it is empty"),
        ("x" * (MOST_ATTACHED_BYTES + 1), "the limit is 25,000,000"),
    ):
        with pytest.raises(CannotAttach, match=reason):
            await bench.workbench.dispatch(AttachText("talk", text))
    assert keys(bench) == []


@in_calm_loop
async def test_a_pasted_picture_goes_with_the_question_once():
    bench = await opened()
    for _ in range(2):
        await bench.workbench.dispatch(AttachPicture("talk", PNG, "Screenshot"))
    (one,) = bench.workbench.state.open["talk"].conversation.attached
    assert (one.kind, one.title, one.recoverable) == ("image", "Screenshot", False)
    assert one.text == "A picture: image/png, 640 × 480 pixels."
    await bench.do(SendMessage("talk", "What is this?"))
    (request,) = bench.model.requests
    assert [picture.content for picture in request.pictures.values()] == [PNG]


@in_calm_loop
async def test_what_is_no_picture_is_refused():
    bench = await opened()
    for content in (b"", b"words", b"\x89PNG\r\n\x1a\n", PNG + b"x" * MOST_ATTACHED_BYTES):
        with pytest.raises(CannotAttach, match="The picture was not attached"):
            await bench.workbench.dispatch(AttachPicture("talk", content))
    assert (keys(bench), await bench.world.store.snapshots("talk")) == ([], ())


@in_calm_loop
async def test_files_are_read_anew_and_of_one_that_is_gone_the_copy_stays():
    files = FilesInMemory(a="Alpha.", b="Beta.", c="Gamma.")
    bench = fake_bench(store=FragileHistory(), attachments=files)
    await bench.start(settings=replace(SETTINGS, freshness="freeze"))
    await bench.workbench.dispatch(AttachFiles("talk", ("a", "b", "c")))
    await bench.workbench.dispatch(AttachText("talk", "Pasted."))
    (first, *_) = bench.workbench.state.open["talk"].conversation.attached
    await bench.workbench.dispatch(AttachArtifact("talk", replace(first, priority=3)))
    files.texts.update(a="Alpha, newer.", c="Gamma, newer.")
    del files.texts["b"]
    await bench.workbench.dispatch(RefreshArtifacts("talk", ("a", "b", "clipboard", "never")))
    assert attached(bench)[:3] == [("a", "Alpha, newer.", 3), ("b", "Beta.", 5), ("c", "Gamma.", 5)]
    assert notices(bench) == ["Not refreshed, so the copies stay: b (there is no such file)."]
    await bench.workbench.dispatch(RefreshArtifacts("talk", ("b",)))
    assert len(await bench.world.store.snapshots("talk")) == 5


def papers() -> FilesInMemory:
    """Sixty files, of which one is a scan and one is locked."""
    files = FilesInMemory(**{f"{number:02}.pdf": f"Words {number}." for number in range(60)})
    files.scans["07.pdf"] = 3
    files.locked["09.pdf"] = "sesame"
    return files


@in_calm_loop
async def test_one_scan_among_sixty_files_is_left_out_named_and_can_be_had_as_pictures():
    files = papers()
    bench = await opened(attachments=files)
    await bench.workbench.dispatch(AttachFiles("talk", tuple(files.texts)))
    assert len(keys(bench)) == 58
    (notice,) = bench.told(NoticeGiven)
    assert [(one.path, one.pages, one.locked, one.refused) for one in notice.left_out] == [
        ("07.pdf", 3, False, True), ("09.pdf", 0, True, True),
    ]  # fmt: skip


@in_calm_loop
async def test_where_all_are_wanted_nothing_is_attached_beside_one_that_cannot_be_read():
    """One that was named with its folder was left out with a line, and the question went out without it."""
    files = papers()
    bench = await opened(attachments=files)
    with pytest.raises(NothingAttached) as problem:
        await bench.workbench.dispatch(AttachFiles("talk", tuple(files.texts), whole=True))
    assert [one.path for one in problem.value.left_out] == ["07.pdf", "09.pdf"]
    assert keys(bench) == []


@in_calm_loop
async def test_a_password_opens_what_is_locked_and_scans_become_pictures_where_they_may():
    files = papers()
    bench = await opened(attachments=files)
    secrets = (Secret.of_text("wrong"), Secret.of_text("sesame"))
    wish = AttachFiles("talk", tuple(files.texts), whole=True, passwords=secrets, pictures=True)
    await bench.workbench.dispatch(wish)
    assert len(keys(bench)) == 59 + 3
    assert ("09.pdf", "Words 9.", 5) in attached(bench)
    assert [key for key in keys(bench) if "#" in key] == ["07.pdf#p1", "07.pdf#p2", "07.pdf#p3"]


@in_calm_loop
async def test_a_locked_scan_says_that_its_pages_need_the_password_again():
    files = papers()
    files.locked["07.pdf"] = "sesame"
    bench = await opened(attachments=files)
    wish = AttachFiles("talk", ("07.pdf",), passwords=(Secret.of_text("sesame"),))
    with pytest.raises(CannotAttach) as problem:
        await bench.workbench.dispatch(wish)
    assert [(one.pages, one.locked) for one in problem.value.left_out] == [(3, True)]
