"""The guide's pages: their order, their titles, and what a search finds first."""

from __future__ import annotations

from workbench.domain.guide import guide_pages, search_guide

PAGES = guide_pages(
    {
        "zebra": "# A page of its own\n\nIts stripes are cached.\n",
        "cache": "# Caches and prices\n\nIt keeps a prefix.\n\n## Warm and cold\n\nA [budget](budget.md) too.\n",
        "request": "# What a request is\n\nLayers, a **cache**, a `budget`.\n",
        "budget": "# Budget\n\nWhat happens when it is full.\n",
    }
)


def test_pages_are_in_the_order_of_the_list_and_others_come_last():
    assert [page.name for page in PAGES] == ["request", "budget", "cache", "zebra"]
    assert [page.title for page in PAGES][-1] == "A page of its own"


def test_a_word_in_the_title_is_found_before_one_in_the_text():
    assert [found.page.name for found in search_guide(PAGES, "cache")] == ["cache", "request", "zebra"]
    assert search_guide(PAGES, "CACH")[1].line == "Layers, a cache, a budget."


def test_every_word_must_be_there_and_the_target_of_a_link_is_not_a_word():
    assert [found.page.name for found in search_guide(PAGES, "warm prefix")] == ["cache"]
    assert search_guide(PAGES, "warm zebra") == ()
    assert search_guide(PAGES, "md") == ()


def test_without_words_all_pages_are_there():
    assert [found.page for found in search_guide(PAGES, "  ")] == list(PAGES)
