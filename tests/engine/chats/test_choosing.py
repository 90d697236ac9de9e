"""Choosing parts of an attached file, and reading it as something else, from the copy that was kept."""

from __future__ import annotations

import pytest

from tests.domain.files.test_pictures import PNG
from tests.fakes.attachments import MemoryAttachments
from tests.fakes.engine import Bench, fake_bench
from tests.fakes.loop import in_calm_loop, until
from workbench.domain.errors import NotKept
from workbench.domain.files.attached import CannotAttach
from workbench.domain.files.document import Reading
from workbench.domain.secrets import Secret
from workbench.domain.shown.parts_view import PartsView
from workbench.engine.attaching_intents import AttachPages, ChooseParts, ReadOtherwise, ShowParts
from workbench.engine.chats.file_keeping import MOST_PAGES
from workbench.engine.intents import AttachFiles, EditDraft
from workbench.engine.tuning_intents import AttachedChange, TuneAttached

PAGES = "first page\n\fsecond page\n\fthird page\n"


async def bench_with(text: str = PAGES) -> Bench:
    bench = fake_bench(attachments=MemoryAttachments({"spec.txt": text, "other.md": "other"}))
    await bench.start()
    await bench.workbench.dispatch(AttachFiles("talk", ("other.md", "spec.txt")))
    return bench


def attached(bench: Bench) -> dict[str, str]:
    return {one.key: one.text for one in bench.workbench.state.open["talk"].conversation.attached}


def parts_of(bench: Bench) -> PartsView | None:
    return bench.workbench.state.open["talk"].parts


@in_calm_loop
async def test_parts_take_the_place_of_the_whole_and_go_again():
    bench = await bench_with()
    await bench.workbench.dispatch(ChooseParts("talk", "spec.txt", ("p1", "p3")))
    assert attached(bench) == {
        "other.md": "other", "spec.txt#p1": "first page\n", "spec.txt#p3": "third page\n",
    }  # fmt: skip
    await bench.workbench.dispatch(ChooseParts("talk", "spec.txt", ("p3", "p2")))
    assert list(attached(bench)) == ["other.md", "spec.txt#p3", "spec.txt#p2"]
    await bench.workbench.dispatch(ChooseParts("talk", "spec.txt", (), whole=True))
    assert attached(bench) == {"other.md": "other", "spec.txt": PAGES}
    await bench.workbench.dispatch(ChooseParts("talk", "spec.txt", ()))
    assert attached(bench) == {"other.md": "other"}


@in_calm_loop
async def test_parts_have_the_priority_of_the_file_and_then_their_own():
    bench = await bench_with()
    await bench.workbench.dispatch(TuneAttached("talk", (AttachedChange("spec.txt", priority=3),)))
    await bench.workbench.dispatch(ChooseParts("talk", "spec.txt", ("p1", "p2")))
    await bench.workbench.dispatch(TuneAttached("talk", (AttachedChange("spec.txt#p2", 10, True),)))
    await bench.workbench.dispatch(ChooseParts("talk", "spec.txt", ("p1", "p2", "p3")))
    held = {one.key: one for one in bench.workbench.state.open["talk"].conversation.attached}
    assert [held[f"spec.txt#p{n}"].priority for n in (1, 2, 3)] == [3, 10, 3]
    assert held["spec.txt#p2"].essential


@in_calm_loop
async def test_what_is_not_in_the_file_is_named():
    bench = await bench_with()
    await bench.workbench.dispatch(ChooseParts("talk", "spec.txt", ("p2", "p9")))
    assert list(attached(bench)) == ["other.md", "spec.txt#p2"]
    assert [one.path for one in bench.workbench.state.notices[-1].left_out] == ["spec.txt#p9"]


@in_calm_loop
async def test_of_what_is_gone_nothing_can_be_chosen():
    bench = await bench_with()
    with pytest.raises(NotKept, match="not attached any more"):
        await bench.workbench.dispatch(ChooseParts("talk", "gone.txt", ("p1",)))


@in_calm_loop
async def test_a_file_is_read_in_another_encoding_with_all_its_parts():
    """What was taken for one encoding stays readable when somebody knows better."""
    bench = await bench_with("k\u00e4se\n\fbr\u00f6t\n")
    await bench.workbench.dispatch(ChooseParts("talk", "spec.txt", ("p1", "p2")))
    await bench.workbench.dispatch(ReadOtherwise("talk", "spec.txt#p2", Reading(encoding="latin-1")))
    assert attached(bench)["spec.txt#p1"] == "kÃ¤se\n"
    assert attached(bench)["spec.txt#p2"] == "brÃ¶t\n"
    copies = {one.key: one.read_as for one in await bench.world.store.copies("talk")}
    assert copies["spec.txt#p1"].chosen == Reading(encoding="latin-1")


@in_calm_loop
async def test_an_open_file_lists_its_parts_with_their_tokens_and_follows_the_choice():
    bench = await bench_with()
    # A question at the end: what opening the answer costs is counted with whatever stands last.
    await bench.workbench.dispatch(EditDraft("talk", "Why?"), ShowParts("talk", "spec.txt"))
    await until(
        lambda: bool((view := parts_of(bench)) and view.rows and all(row.tokens for row in view.rows))
    )
    view = parts_of(bench)
    assert view is not None
    assert [(row.part.anchor, row.chosen) for row in view.rows] == [
        ("p1", False),
        ("p2", False),
        ("p3", False),
    ]
    assert (view.whole, view.text, view.file) == (True, PAGES, "spec.txt")
    await bench.workbench.dispatch(ChooseParts("talk", "spec.txt", ("p2",)))
    view = parts_of(bench)
    assert view is not None
    assert ([row.chosen for row in view.rows], view.whole, view.chosen) == (
        [False, True, False],
        False,
        ("p2",),
    )
    cost = next(row.tokens for row in view.rows if row.chosen)
    await until(lambda: bool(bench.workbench.state.open["talk"].attachments))
    rows = {row.key: row.tokens for row in bench.workbench.state.open["talk"].attachments}
    assert rows["spec.txt#p2"] == cost
    await bench.workbench.dispatch(ShowParts("talk"))
    assert parts_of(bench) is None


class PagedPdf(MemoryAttachments):
    """A PDF of pictures → AttachmentReader."""

    async def page_pictures(
        self, path: str, pages: tuple[int, int], password: Secret | None = None
    ) -> tuple[tuple[int, bytes], ...]:
        """One small picture a page."""
        return tuple((number, PNG) for number in range(pages[0], pages[1] + 1))


@in_calm_loop
async def test_pages_come_as_pictures_not_too_many_at_once_and_the_rest_is_named():
    bench = fake_bench(attachments=PagedPdf({}))
    await bench.start()
    await bench.workbench.dispatch(AttachPages("talk", "/x/scan.pdf", 3, 40))
    held = bench.workbench.state.open["talk"].conversation.attached
    assert len(held) == MOST_PAGES
    assert [(one.key, one.kind, one.title) for one in held[:1]] == [
        ("/x/scan.pdf#p3", "image", "scan.pdf, page 3")
    ]
    assert bench.workbench.state.notices[-1].left_out[0].path == "/x/scan.pdf, pages 23 to 40"
    with pytest.raises(CannotAttach, match="no pages 2 to 1"):
        await bench.workbench.dispatch(AttachPages("talk", "/x/scan.pdf", 2, 1))


@in_calm_loop
async def test_a_file_whose_own_name_has_a_hash_is_no_part_of_another():
    """Choosing parts of a.txt took a.txt#old.txt off without a word."""
    bench = fake_bench(attachments=MemoryAttachments({"a.txt": PAGES, "a.txt#old.txt": "old"}))
    await bench.start()
    await bench.workbench.dispatch(AttachFiles("talk", ("a.txt", "a.txt#old.txt")))
    await bench.workbench.dispatch(ChooseParts("talk", "a.txt", ("p2",)))
    assert list(attached(bench)) == ["a.txt#old.txt", "a.txt#p2"]
