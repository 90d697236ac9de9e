"""What a llama.cpp server is asked, whoever holds the connection, and what its answers say about its cache."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.fakes.llama_double import ident, pieces
from tests.fakes.loop import in_loop
from workbench.domain.answer import ModelFailed
from workbench.providers.served.llama import LlamaQuestions, as_object, follow
from workbench.providers.served.slot import LlamaSlot, Token


class Written(LlamaQuestions):
    """A server whose answers are written down."""

    def __init__(self, answers: Mapping[str, Any]) -> None:
        super().__init__()
        self._answers = answers
        self.asked: list[tuple[str, Any]] = []

    async def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        self.asked.append((path, body))
        return self._answers[path]


@in_loop
async def test_a_prompt_is_cut_into_tokens_once():
    tokens = [{"id": 1, "piece": "a"}, {"id": 2, "piece": [230, 188]}]
    server = Written({"/apply-template": {"prompt": "a?"}, "/tokenize": {"tokens": tokens}})
    for _ in range(2):
        assert await server.prompt({"messages": []}) == ("a?", (Token(1, b"a"), Token(2, b"\xe6\xbc")))
    assert [path for path, _ in server.asked] == ["/apply-template", "/tokenize", "/apply-template"]


@in_loop
async def test_an_older_server_tells_only_numbers_and_they_count():
    server = Written({"/apply-template": {"prompt": "a?"}, "/tokenize": {"tokens": [5, 7, 7]}})
    assert await server.prompt({}) == ("a?", (Token(5, b""), Token(7, b""), Token(7, b"")))
    assert (await server.count("a?"), await server.whole("a?"), await server.beginning()) == (3, 3, "")
    assert await Written({"/tokenize": {"tokens": []}}).whole("") == 0


@pytest.mark.parametrize("said", [{}, {"tokens": None}, {"tokens": 3}, {"tokens": {"a": 1}}, [1], "no"])
@in_loop
async def test_a_server_that_tells_no_tokens_does_not_count(said: Any):
    server = Written({"/tokenize": said})
    with pytest.raises(ModelFailed, match="did not say which tokens"):
        await server.tokens("a?")
    with pytest.raises(ModelFailed, match="did not say which tokens"):
        await server.count("a?")


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ([{"n_prompt_tokens": 5, "is_processing": True}, {"id": 1}], ((5, True), (0, False))),
        ([], ()),
        ([{}] * 1025, ()),
        ({"error": "no"}, ()),
    ],
)
@in_loop
async def test_places_are_what_the_server_lists(said: Any, expected: tuple[tuple[int, bool], ...]):
    assert await Written({"/slots": said}).places() == expected


def test_an_answer_that_counts_otherwise_than_foretold_is_forgotten():
    prompt = [Token(ident(piece), piece) for piece in pieces("a b c")]
    slot = LlamaSlot()
    slot.begin(1, prompt)
    follow({"choices": [{"delta": {"content": " d"}}], "timings": {"predicted_n": 1}}, slot, 3)
    follow({"usage": {"prompt_tokens": 3, "completion_tokens": 2}}, slot, 3)
    assert slot.tokens == 4
    follow({"usage": {"prompt_tokens": 9, "completion_tokens": 2}}, slot, 3)
    assert slot.tokens == 0


def test_what_is_no_table_is_an_empty_one():
    assert (as_object([1]), as_object({"a": 1})) == ({}, {"a": 1})
