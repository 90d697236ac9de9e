"""Pages in the answers of tools that search: the shapes differ, an address is an address, and junk is none."""

from __future__ import annotations

import json

import pytest

from workbench.domain.errors import InvalidInput
from workbench.domain.tool import ToolDefinition
from workbench.domain.web_search import SearchHit, SearchTool, WebSearch, found_in, query_field, search_place

A = SearchHit("Pools", "https://example.org/pools", "A pool.", "")
B = SearchHit("Dry", "https://example.net/dry", "", "")
ROWS = [{"title": "Pools", "url": A.url, "snippet": "A  pool."}, {"name": "Dry", "link": B.url}]


@pytest.mark.parametrize(
    "answer",
    [
        json.dumps(ROWS),
        json.dumps({"web": {"results": ROWS}, "took": 3}),
        "\n".join(json.dumps(row, indent=2) for row in ROWS),
        "Title: Pools\nURL: https://example.org/pools\nA pool.\n\nTitle: Dry\nURL: https://example.net/dry",
        "Found 2:\n1. [Pools](https://example.org/pools)\n   A pool.\n2. **[Dry](https://example.net/dry)**",
        "- Pools: https://example.org/pools\nA pool.\n- Dry: <https://example.net/dry>.",
    ],
)
def test_every_shape_becomes_the_same_hits(answer: str):
    assert found_in(answer) == (A, B)


@pytest.mark.parametrize(
    "junk",
    [
        "",
        "No results.",
        "[" * 100_000,
        '{"a": ' * 5000,
        '{"url": 3, "title": "x"}',
        "{}{}[",
        '["file:///etc/passwd"]',
        "null",
    ],
)
def test_junk_is_no_hit(junk: str):
    assert found_in(junk) == ()


def test_an_address_alone_is_its_own_title_and_nothing_acts_unseen():
    assert found_in("see https://a.example/x.") == (SearchHit("see", "https://a.example/x"),)
    (hit,) = found_in('{"url": "https://a.example/", "title": "a\\u202eb"}')
    assert hit.title == "a<U+202E>b"


@pytest.mark.parametrize(
    ("schema", "field"),
    [
        ({"properties": {"q": {"type": "string"}, "n": {"type": "integer"}}}, "q"),
        ({"properties": {"a": {"type": "string"}, "query": {"type": "string"}}}, "query"),
        ({"properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "required": ["b"]}, "b"),
        ({"properties": {"a": {"type": "string"}, "b": {"type": "string"}}}, ""),
        ({"properties": []}, ""),
        ([], ""),
    ],
)
def test_which_argument_takes_the_words(schema: object, field: str):
    assert query_field(ToolDefinition("s__t", "", json.dumps(schema))) == field


def test_a_tool_is_named_with_its_server():
    assert search_place(" mcp:brave/brave_web_search") == SearchTool("brave", "brave_web_search")
    with pytest.raises(InvalidInput, match="mcp:SERVER/TOOL"):
        search_place("mcp:brave")


def test_what_was_left_out_is_said():
    assert WebSearch("w").left_words == ""
    assert WebSearch("w", left_out=1, why="it is here").left_words == "1 result left out: it is here."


def test_very_many_values_are_read_in_one_pass():
    """Each value copied the rest of the answer: 200,000 of them took minutes."""
    assert found_in("{}\n" * 130_000) == ()
