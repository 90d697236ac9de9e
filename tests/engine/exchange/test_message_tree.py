"""Trees of messages: every node once, parents first, whatever the file says."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.archives import fresh
from workbench.domain.record import ChatArchive
from workbench.engine.exchange.imported import Ids, ImportedMessage, Losses, started
from workbench.engine.exchange.message_tree import (
    CIRCLE,
    NO_CHILD,
    NO_NEWEST,
    NO_PARENT,
    MessageTree,
    Node,
    nodes_of,
)
from workbench.engine.exchange.soundness import make_sound

WHEN = "2026-01-01T12:00:00Z"


def grown(nodes: dict[str, Node], lost: Losses, current: object = None, silent: str = "") -> ChatArchive:
    growing = MessageTree(started("c", "T", WHEN), Ids(fresh().new_id), lost)
    return growing.grow(
        nodes,
        lambda key, _: [] if key == silent else [ImportedMessage("user", (key,), id=key)],
        current,
        tuple,
    )


def parents(archive: ChatArchive) -> list[tuple[str, str | None]]:
    return [(record.id, record.parent) for record in archive.records]


def test_branches_stand_in_the_order_their_parent_gives():
    nodes = {"b": Node("a"), "a": Node(None, ("c", "b", "gone")), "c": Node("a")}
    lost = Losses()
    assert parents(grown(nodes, lost, "b")) == [("a", None), ("c", "a"), ("b", "a")]
    assert lost.left_out == {NO_CHILD: 1}


def test_a_silent_node_hands_its_place_on():
    nodes = nodes_of([("a", "root"), ("b", "a"), ("c", "b")], "root")
    assert parents(grown(nodes, Losses(), "b", silent="b")) == [("a", None), ("c", "a")]
    assert grown(nodes, Losses(), "b", silent="b").chat.leaf == "a"


def test_circles_and_strangers_are_said():
    lost = Losses()
    archive = grown({"a": Node("b"), "b": Node("a"), "c": Node("nobody")}, lost, "nowhere")
    assert sorted(key for key, _ in parents(archive)) == ["a", "b", "c"]
    assert lost.changed == {CIRCLE: 1, NO_PARENT: 1, NO_NEWEST: 1}


@given(st.dictionaries(st.sampled_from("abcdefgh"), st.none() | st.sampled_from("abcdefghx")))
def test_every_node_comes_once_and_holds_together(given_parents: dict[str, str | None]):
    archive = grown({key: Node(parent) for key, parent in given_parents.items()}, Losses())
    assert sorted(record.id for record in archive.records) == sorted(given_parents)
    make_sound(archive)
