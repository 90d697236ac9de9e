"""Attachments one below the other, or in folders where there are many."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.domain.files.attachment import ArtifactKind
from workbench.domain.files.document import ReadAs
from workbench.domain.shown.attachment_view import AttachmentRow, FileFacts
from workbench.ui.attachments.model import MANY, FileNode, FolderNode, folder_of, nodes_of


def row(name: str, kind: ArtifactKind = "file", tokens: int = 10) -> AttachmentRow:
    return AttachmentRow(name, kind, name, tokens, 5, False, "sent")


def test_few_attachments_are_a_plain_list():
    rows = [row(f"src/{n}.py") for n in range(MANY - 1)]
    assert [node.name for node in nodes_of(rows)] == [f"src/{n}.py" for n in range(MANY - 1)]


def test_of_many_those_that_share_a_folder_stand_below_it():
    rows = [row("README.md"), *(row(f"src/{n}.py") for n in range(6)), row("docs/api.md")]
    nodes = nodes_of(rows)
    assert [type(node) for node in nodes] == [FileNode, FolderNode, FileNode]
    folder = nodes[1]
    assert isinstance(folder, FolderNode)
    assert [file.name for file in folder.files] == [f"{n}.py" for n in range(6)]
    assert folder.tokens == 60


def test_a_folder_of_one_file_is_no_folder():
    names = [node.name for node in nodes_of([row(f"d{n}/x.py") for n in range(MANY)])]
    assert names == [f"d{n}/x.py" for n in range(MANY)]


def test_a_page_has_no_folder_though_its_name_has_slashes():
    assert folder_of(row("https://example.org/a", "url")) == ""
    assert folder_of(row("a\\b\\c.txt")) == "a\\b"
    assert folder_of(row("/root.txt")) == ""


def test_an_attachment_named_like_a_folder_is_not_taken_for_it():
    rows = [row("src", "note"), *(row(f"src/{n}.py") for n in range(MANY))]
    ids = [node.id for node in nodes_of(rows)]
    assert len(set(ids)) == len(ids) == 2


@given(st.lists(st.sampled_from(["a/1", "a/2", "a/3", "b/1", "b/2", "c", "d", "e/1", "f", "g"]), unique=True))
def test_no_attachment_is_lost_or_doubled(names: list[str]):
    rows = [row(name) for name in names]
    shown = [
        file.row
        for node in nodes_of(rows)
        for file in (node.files if isinstance(node, FolderNode) else (node,))
    ]
    assert sorted(each.key for each in shown) == sorted(names)


def test_parts_stand_under_their_file_with_how_much_of_it_they_are():
    rows = tuple(row(key, "pdf") for key in ("a.md", "spec.pdf#p3-5", "b.md", "spec.pdf#p9"))
    facts = {
        key: FileFacts(ReadAs("pdf", pages=84), anchor=key.partition("#")[2])
        for key in ("spec.pdf#p3-5", "spec.pdf#p9")
    }
    nodes = nodes_of(rows, facts)
    assert [node.name for node in nodes] == ["a.md", "spec.pdf", "b.md"]
    group = nodes[1]
    assert isinstance(group, FolderNode)
    assert (group.parts_of, group.amount, group.tokens) == ("spec.pdf", "4 of 84 pages", 20)
    assert [file.name for file in group.files] == ["pp. 3–5", "p. 9"]


def test_a_file_with_a_hash_in_its_name_is_no_part():
    (node,) = nodes_of((row("c#1.md"),), {"c#1.md": FileFacts(ReadAs("markdown"))})
    assert isinstance(node, FileNode)
    assert node.name == "c#1.md"


def test_a_page_is_called_by_its_host_and_known_by_when_it_was_fetched():
    page = row("https://example.org/spec?v=2", "url")
    (node,) = nodes_of((page,), {page.key: FileFacts(ReadAs("html"), read_utc="2026-11-12T14:02:00Z")})
    assert isinstance(node, FileNode)
    assert (node.name, node.fetched_utc) == ("example.org/spec?v=2", "2026-11-12T14:02:00Z")
