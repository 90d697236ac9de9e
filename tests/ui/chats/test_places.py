"""The chats in their places, seen on a day."""

from __future__ import annotations

from PySide6.QtCore import QDate

from workbench.domain.record import Chat
from workbench.domain.workspace import Filed, Workspace
from workbench.ui.chats.lines import ActionLine, ChatLine, GroupHead, PlaceHead
from workbench.ui.chats.places import ARCHIVED, Arranged, Listed, arranged_from, place_lines, tag_filter

TODAY = QDate(2026, 11, 12)
CHATS = (
    Chat("a", "2026-11-01T10:00:00Z", "Zebra", used_utc="2026-11-12T10:00:00Z", filed=Filed("w1")),
    Chat(
        "b", "2026-11-02T10:00:00Z", "apple", used_utc="2026-11-11T10:00:00Z", filed=Filed("w1", pinned=True)
    ),
    Chat("c", "2026-11-03T10:00:00Z", "Mango", filed=Filed(tags=("Auth", "bug"))),
    Chat(
        "d",
        "2026-11-04T10:00:00Z",
        "Old",
        filed=Filed("w1", archived_utc="2026-11-05T10:00:00Z", tags=("auth",)),
    ),
    Chat("e", "2026-11-05T10:00:00Z", "Lost", filed=Filed("gone")),
)
PLACES = {"w1": Workspace("w1", "Auth service"), "w2": Workspace("w2", "Thesis")}


def listed(arranged: Arranged | None = None, places: dict[str, Workspace] | None = None) -> list[str]:
    found = place_lines(Listed(CHATS, PLACES if places is None else places), TODAY, arranged or Arranged())
    words = {GroupHead: "#", PlaceHead: ">", ActionLine: "+", ChatLine: ""}
    return [words[type(line)] + (line.title if isinstance(line, ChatLine) else line.words) for line in found]


def test_by_workspace_pinned_first_and_archived_behind_a_folded_row(qapp: object):
    assert listed() == [
        ">Auth service", "apple", "Zebra", ">Thesis", ">No workspace", "Lost", "Mango", ">Archived", "+New workspace…"
    ]  # fmt: skip


def test_without_workspaces_it_is_the_list_by_days(qapp: object):
    assert listed(places={}) == [
        "#Pinned", "apple", "#Today", "Zebra", "#Last week", "Lost", "Mango", ">Archived", "+New workspace…"
    ]  # fmt: skip


def test_folding_hides_and_what_is_remembered_comes_back(qapp: object):
    folded = Arranged(sort="title").toggled("workspace:w1").toggled(ARCHIVED)
    assert listed(folded) == [
        ">Auth service", ">Thesis", ">No workspace", "Lost", "Mango", ">Archived", "Old", "+New workspace…"
    ]  # fmt: skip
    assert arranged_from(folded.text()) == folded
    assert arranged_from("nonsense") == Arranged()
    assert arranged_from("") == Arranged()


def test_tags_filter_whatever_is_folded_and_words_narrow_it(qapp: object):
    assert tag_filter("#auth", CHATS) == (("auth",), "")
    assert tag_filter("#aut man", CHATS) == (("aut",), "man")
    assert tag_filter("#include", CHATS) is None
    assert tag_filter("auth", CHATS) is None
    assert listed(Arranged(tags=("auth",))) == [">No workspace", "Mango", ">Archived", "Old"]
    assert listed(Arranged(tags=("auth",), words="man")) == [">No workspace", "Mango"]


def test_other_orders(qapp: object):
    by_title = listed(Arranged(sort="title"), places={})
    assert by_title[:6] == ["#Pinned", "apple", "#By title", "Lost", "Mango", "Zebra"]
    assert [word for word in listed(Arranged(sort="created"), places={}) if word in ("Lost", "Mango", "Zebra")] == [
        "Lost", "Mango", "Zebra"
    ]  # fmt: skip


def test_where_no_heading_says_the_day_the_line_does(qapp: object):
    lines = place_lines(Listed(CHATS, PLACES), TODAY)
    when = {line.id: line.when for line in lines if isinstance(line, ChatLine)}
    assert when["a"] == "10:00"
    assert when["b"] == "Wed"
