"""What a turn attaches gets its id, its priority and its rights; what it detaches must be attached."""

from __future__ import annotations

import pytest

from workbench.cli.replay.trajectory import read_attach, read_detach
from workbench.domain.errors import InvalidInput
from workbench.domain.files.attachment import ARTIFACT_KINDS, EPHEMERAL_KINDS, Artifact
from workbench.domain.reading.node import Node
from workbench.domain.text import digest_text


def attach(*items: object) -> tuple[Artifact, ...]:
    return read_attach(Node(list(items), "turns[0].attach"))


def refusal(*items: object) -> str:
    with pytest.raises(InvalidInput) as caught:
        attach(*items)
    return str(caught.value)


def test_everything_given() -> None:
    assert attach(
        {"id": "docs/api.md", "kind": "note", "title": "api", "text": "…", "priority": 3, "essential": True}
    ) == (Artifact("docs/api.md", "note", "…", "api", 3, True, True),)


def test_text_is_all_that_is_needed_and_may_be_empty() -> None:
    assert attach({"text": ""}) == (Artifact(f"unparsed:{digest_text('')}", "file", ""),)


def test_lone_surrogates_are_repaired_in_text_title_and_id() -> None:
    (artifact,) = attach({"id": "a\ud800", "text": "b\ud800", "title": "c\ud800"})

    assert (artifact.key, artifact.text, artifact.title) == ("a\ufffd", "b\ufffd", "c\ufffd")


@pytest.mark.parametrize("kind", ARTIFACT_KINDS)
def test_what_exists_nowhere_else_is_essential_and_cannot_be_recovered(kind: str) -> None:
    (artifact,) = attach({"kind": kind, "text": "x"})

    assert artifact.essential is (kind in EPHEMERAL_KINDS)
    assert artifact.recoverable is (kind not in EPHEMERAL_KINDS)


@pytest.mark.parametrize(
    ("given", "essential"),
    [
        ({"kind": "selection", "essential": False}, False),
        ({"kind": "selection", "essential": False, "priority": 0}, True),
        ({"kind": "file", "priority": 0}, True),
        ({"kind": "file", "priority": 0, "essential": False}, True),
        ({"kind": "file", "pinned": True}, True),
        ({"kind": "file", "pinned": True, "essential": False}, True),
        ({"kind": "file", "pinned": False}, False),
        ({"kind": "file", "essential": True}, True),
        ({"kind": "file", "priority": 1}, False),
    ],
)
def test_what_is_essential(given: dict[str, object], essential: bool) -> None:
    (artifact,) = attach({"text": "x", **given})

    assert artifact.essential is essential


def test_recoverable_may_be_said() -> None:
    assert [one.recoverable for one in attach(
        {"id": "a", "kind": "file", "text": "", "recoverable": False},
        {"id": "b", "kind": "clipboard", "text": "", "recoverable": True},
    )] == [False, True]  # fmt: skip


def test_selections_without_an_id_are_numbered_within_the_turn() -> None:
    keys = [one.key for one in attach(*({"kind": "selection", "text": text} for text in ("a", "a", "b")))]

    assert keys == ["selection", "selection:2", "selection:3"]


def test_no_selection_without_an_id_is_overwritten_by_one_that_has_its_name() -> None:
    """Otherwise the user's selection would be lost without a word."""
    given = attach(
        {"kind": "selection", "text": "mine"}, {"id": "selection", "kind": "selection", "text": "named"}
    )

    assert [(one.key, one.text) for one in given] == [("selection:2", "mine"), ("selection", "named")]


def test_the_same_id_twice_is_the_last_one_at_the_place_of_the_first() -> None:
    given = attach(
        {"id": "a", "text": "old"}, {"id": "b", "text": "b"}, {"id": "a", "text": "new", "kind": "note"}
    )

    assert [(one.key, one.text, one.kind) for one in given] == [("a", "new", "note"), ("b", "b", "file")]


@pytest.mark.parametrize(
    ("item", "line"),
    [
        ({"kind": "file"}, "turns[0].attach[0].text: missing"),
        ({"text": None}, "turns[0].attach[0].text: expected a string, got null"),
        ({"text": "", "priority": "high"}, 'turns[0].attach[0].priority: expected an integer 0..10, got "high"'),
        ({"text": "", "priority": 11}, "turns[0].attach[0].priority: expected an integer 0..10, got 11"),
        ({"text": "", "priority": 5.0}, "turns[0].attach[0].priority: expected an integer 0..10, got 5.0"),
        ({"text": "", "priority": True}, "turns[0].attach[0].priority: expected an integer 0..10, got true"),
        ({"text": "", "id": ""}, 'turns[0].attach[0].id: expected a string that is not empty, got ""'),
        ({"text": "", "id": 7}, "turns[0].attach[0].id: expected a string, got 7"),
        ({"text": "", "essential": "yes"}, 'turns[0].attach[0].essential: expected true or false, got "yes"'),
        ({"text": "", "name": "x"}, "turns[0].attach[0].name: unknown field"),
        ({"text": "", "prioritiy": 1}, 'turns[0].attach[0].prioritiy: unknown field; did you mean "priority"?'),
        ("a.md", 'turns[0].attach[0]: expected an object, got "a.md"'),
    ],
)  # fmt: skip
def test_what_is_refused_and_how(item: object, line: str) -> None:
    assert refusal(item) == line


def test_an_unknown_kind_lists_the_known_ones() -> None:
    assert refusal({"text": "", "kind": "video"}).startswith(
        'turns[0].attach[0].kind: expected one of "file", "note", "url", "pdf", '
    )


def test_detaching_takes_the_id_out() -> None:
    attached = {"a", "b"}

    assert read_detach(Node(["a"]), attached) == ("a",)
    assert attached == {"b"}


def test_what_is_not_attached_cannot_be_detached_nor_twice() -> None:
    with pytest.raises(InvalidInput, match=r'^turns\[2\]\.detach\[0\]: "x\.md" is not attached$'):
        read_detach(Node(["x.md"], "turns[2].detach"), set())
    with pytest.raises(InvalidInput, match=r'^turns\[2\]\.detach\[1\]: "a" is not attached$'):
        read_detach(Node(["a", "a"], "turns[2].detach"), {"a"})
