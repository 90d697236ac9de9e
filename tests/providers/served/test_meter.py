"""Where a prompt's tokens end, and what a server is not asked to count."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.llama_double import ident, pieces
from tests.fakes.llama_runs import chat, llama_client
from tests.fakes.loop import in_loop
from workbench.domain.answer import ModelFailed
from workbench.domain.message import Image
from workbench.domain.request import RequestMessage
from workbench.providers.builtin.stream import chat_body
from workbench.providers.served.meter import Held, ServerMeter, token_ends
from workbench.providers.served.slot import Token


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

    async def look(_: object) -> Held:
        return Held(0, sure=True)

    async with llama_client() as client:
        meter = ServerMeter(client, look, "server:double", chat_body)
        seen = RequestMessage("m", "user", "look", images=(Image("00"),))
        with pytest.raises(ModelFailed, match="pictures"):
            await meter.measure(chat(messages=(seen,)))
