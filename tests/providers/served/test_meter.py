"""Where a prompt's tokens end, and what a server is not asked to count."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.llama_double import ident, pieces
from tests.fakes.llama_runs import chat, llama_client
from tests.fakes.loop import in_loop
from tests.fakes.turns import build, user
from workbench.context.count.measure import attribute
from workbench.domain.answer import ModelFailed
from workbench.domain.influence import AnswerScore, AnswerTokens
from workbench.domain.message import Image
from workbench.domain.request import RequestMessage
from workbench.domain.settings.context_settings import ContextSettings
from workbench.providers.builtin.stream import chat_body
from workbench.providers.served.llama import TEMPLATE_PATH, LlamaQuestions
from workbench.providers.served.meter import Held, ServerMeter, token_ends
from workbench.providers.served.slot import Token

_NOTHING = Held(0, sure=True)


def as_tokens(*parts: bytes) -> list[Token]:
    return [Token(ident(part), part) for part in parts]


def test_a_token_inside_a_character_ends_before_it():
    emoji = "😀".encode()
    tokens = as_tokens(b"a", emoji[:2], emoji[2:3], emoji[3:] + b"b", b"c")
    assert token_ends("a😀bc", tokens) == (1, 1, 1, 3, 4)


def test_what_the_server_puts_first_has_no_place_in_the_prompt():
    assert token_ends("ab", as_tokens(b"<s>", b"a", b"b")) == (0, 1, 2)


@given(st.text(alphabet="ab \n漢😀é<|", max_size=30))
def test_the_ends_cover_the_prompt_in_order(prompt: str):
    tokens = [Token(ident(piece), piece) for piece in pieces(prompt)]
    ends = token_ends(prompt, tokens)
    assert all(one <= other for one, other in pairwise(ends))
    assert (ends[-1] if ends else 0) == len(prompt)


@in_loop
async def test_a_request_with_pictures_is_not_counted_there():
    """Neither kind of server says what a picture comes to before it is sent."""

    async def look(*_: object) -> Held:
        return Held(0, sure=True)

    async with llama_client() as client:
        meter = ServerMeter(client, look, "server:double", chat_body)
        seen = RequestMessage("m", "user", "look", images=(Image("00"),))
        with pytest.raises(ModelFailed, match="pictures"):
            await meter.measure(chat(messages=(seen,)))


class Told(LlamaQuestions):
    """A server that says this of every text."""

    def __init__(self, tokens: Any) -> None:
        super().__init__()
        self._tokens = tokens

    async def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        return {"prompt": "<s>hello<e>"} if path == TEMPLATE_PATH else {"tokens": self._tokens}


def meter_of(tokens: Any, held: Held | Exception = _NOTHING) -> ServerMeter:
    async def look(*_: object) -> Held:
        if isinstance(held, Exception):
            raise held
        return held

    return ServerMeter(Told(tokens), look, "server:told", chat_body)


ODD: tuple[Any, ...] = (
    [None],
    ["x"],
    [1.5],
    [{}],
    [{"id": "x", "piece": "a"}],
    [{"id": 1, "piece": 5}],
    [-1],
    [10**30],
    [[1]],
)


@pytest.mark.parametrize("odd", ODD, ids=str)
@in_loop
async def test_an_answer_that_cannot_be_used_is_no_failure_of_the_program(odd: Any):
    with pytest.raises(ModelFailed):
        await meter_of(odd).measure(chat())


@in_loop
async def test_neither_is_a_cache_that_cannot_be_looked_at():
    with pytest.raises(ModelFailed, match="estimated"):
        await meter_of([1, 2], OverflowError("too large")).measure(chat())


@in_loop
async def test_tokens_without_their_texts_are_shared_out_as_they_were_estimated():
    measured = await meter_of([1, 2, 3, 4, 5, 6]).measure(chat())
    assert (measured.prompt_tokens, measured.prompt) == (6, "")
    built = build(ContextSettings(model="word-1", system_prompt="hello"), question=user("q", "hello"))
    counted = attribute(built.envelope, measured)
    assert counted.total_tokens == sum(layer.total_tokens for layer in counted.layers) == 6
    assert sum(1 for layer in counted.layers if layer.total_tokens) > 1


@in_loop
async def test_a_score_of_another_length_is_none():
    class Short(LlamaQuestions):
        async def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
            return {"prompt": "a", "tokens": [{"id": 1, "piece": "a"}]}

        async def scored(self, prompt: object, answer: object) -> AnswerScore:
            return AnswerScore((-1.0,), 1)

    async def look(*_: object) -> Held:
        return _NOTHING

    meter = ServerMeter(Short(), look, "server:short", chat_body)
    read: list[tuple[Token, ...]] = []
    meter.read = lambda request, tokens: read.append(tuple(tokens))
    with pytest.raises(ModelFailed, match="whole answer"):
        await meter.score(chat(("user", "a")), AnswerTokens((5, 6), (b"b", b"c")))
    assert read == []
    await meter.score(chat(("user", "a")), AnswerTokens((5,), (b"b",)))
    assert read == [(Token(1, b"a"),)]
