"""What a llama.cpp server is asked, whoever holds the connection, and what its answers say about its cache."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest

from tests.fakes.llama_double import ident, pieces
from tests.fakes.loop import in_loop
from workbench.domain.answer import ModelFailed
from workbench.domain.influence import AnswerTokens
from workbench.providers.served.llama import LlamaQuestions, as_object, follow, score_in, scoring_body
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


def test_a_grammar_forces_the_answer_by_token_ids_and_allows_something_after_it():
    """Without a rest the server has nothing to choose from after the last token, and answers with an error."""
    body = scoring_body([5, 6], [7, 8, 9])
    assert body["grammar"] == "root ::= <[7]> <[8]> <[9]> rest\nrest ::= [^\\x00]*"
    assert (body["prompt"], body["n_predict"], body["temperature"]) == ([5, 6], 3, 0)
    assert (body["n_probs"], body["post_sampling_probs"], body["cache_prompt"]) == (1, False, True)


@in_loop
async def test_the_answer_s_likelihoods_are_read_with_what_was_cached():
    told = [{"id": 7, "logprob": -0.5}, {"id": 8, "logprob": -2}]
    timings = {"cache_n": 4, "prompt_n": 2}
    server = Written(
        {"/completion": {"completion_probabilities": told, "timings": timings, "tokens_evaluated": 6}}
    )
    score = await server.scored([1, 2, 3, 4, 5, 6], AnswerTokens((7, 8), (b"a", b"b")))
    assert (score.logprobs, score.prompt_tokens, score.cached_tokens) == ((-0.5, -2.0), 6, 4)


@in_loop
async def test_parts_of_a_character_are_given_and_not_scored():
    """Forced by a grammar they end in the server's error, and it reports none of their likelihoods."""

    class Scoring(Written):
        async def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
            forced = [int(one) for one in re.findall(r"<\[(\d+)\]>", (body or {})["grammar"])]
            told = [{"id": one, "logprob": -one} for one in forced]
            await super().ask(method, path, body)
            return {"completion_probabilities": told, "tokens_evaluated": len((body or {})["prompt"])}

    server = Scoring({"/completion": {}})
    score = await server.scored(
        [1], AnswerTokens((2, 3, 4, 5), (b"so ", b" \xf0\x9f\x98", b"\x80", b" fine"))
    )
    assert (score.logprobs, score.prompt_tokens) == ((-2.0, 0.0, 0.0, -5.0), 1)
    assert [(body or {})["prompt"] for _, body in server.asked] == [[1], [1, 2, 3, 4]]
    with pytest.raises(ModelFailed, match="several tokens"):
        await server.scored([1], AnswerTokens((3, 4, 5), (b"\xf0\x9f\x98", b"\x80", b"!")))


@in_loop
async def test_nothing_in_an_answer_is_read_as_a_control_token():
    server = Written({"/tokenize": {"tokens": [{"id": 1, "piece": "a"}]}})
    assert await server.answer("a") == (Token(1, b"a"),)
    assert server.asked[0][1] == {
        "content": "a", "add_special": False, "parse_special": False, "with_pieces": True,
    }  # fmt: skip


@pytest.mark.parametrize(
    "told",
    [
        {}, {"completion_probabilities": []}, {"completion_probabilities": [{"id": 9, "logprob": -1}]},
        {"completion_probabilities": [{"id": 7, "logprob": -1}, {"id": 8, "logprob": -1}]},
    ],
)  # fmt: skip
def test_a_server_that_writes_something_else_does_not_score(told: Any):
    with pytest.raises(ModelFailed, match="cannot be made to score"):
        score_in(told, [7])
