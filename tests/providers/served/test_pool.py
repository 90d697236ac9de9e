"""The places of a llama.cpp server: which one a prompt gets and what it finds there, as the real one does it."""

from __future__ import annotations

import pytest

from tests.fakes.llama_double import ident, pieces
from workbench.providers.served.meter import Held
from workbench.providers.served.servers import LlamaPool, RunningPlace
from workbench.providers.served.slot import Token

CHATS = {name: f"sys {name} " + " ".join(f"{name}{n}" for n in range(60)) for name in "abcd"}


def tokens(text: str) -> list[Token]:
    return [Token(ident(piece), piece) for piece in pieces(text)]


def ask(pool: LlamaPool, prompt: str, answer: str = " yes") -> int | None:
    """One request from its prompt to its answer's end, which is a token too; what was foretold for it."""
    held = pool.held(tokens(prompt)).tokens
    running = pool.begin(tokens(prompt))
    write(running, answer)
    running.left()
    return held


def write(running: RunningPlace, answer: str) -> None:
    written = pieces(answer)
    for number, piece in enumerate(written, start=1):
        running.slot.grew(piece.decode(), number)
    running.slot.ended(len(written) + 1)


def test_a_chat_goes_on_where_it_was():
    pool = LlamaPool(2)
    ask(pool, CHATS["a"])
    assert ask(pool, CHATS["a"] + " yes more") == len(tokens(CHATS["a"] + " yes"))


def test_as_many_chats_as_places_do_not_disturb_each_other():
    pool = LlamaPool(2)
    for name in "ab":
        ask(pool, CHATS[name])
    assert [ask(pool, CHATS[name]) for name in "ab"] == [len(tokens(CHATS[name])) - 1 for name in "ab"]


def test_what_has_no_place_is_put_aside_and_comes_back():
    """One place and several chats: the real server served 95 of 108 tokens of the first one after two others."""
    pool = LlamaPool(1)
    for name in "abc":
        ask(pool, CHATS[name])
    assert ask(pool, CHATS["a"] + " yes more") == len(tokens(CHATS["a"] + " yes"))
    assert ask(pool, CHATS["b"] + " yes more") == len(tokens(CHATS["b"] + " yes"))


def test_what_is_mostly_kept_is_not_put_aside():
    """Then nothing comes back either: as measured, the third of three short prompts found only their beginning."""
    pool = LlamaPool(1)
    ask(pool, CHATS["a"])
    short = "sys a a0 a1 a2 a3 a4 a5"
    ask(pool, f"{short} x")  # most of the long chat is lost: it is put aside
    ask(pool, f"{short} y")  # most of this one is kept
    assert ask(pool, f"{short} {CHATS['a'].removeprefix(short)}") == len(tokens(short))


def test_a_server_that_puts_nothing_aside_is_found_out():
    pool = LlamaPool(1)
    ask(pool, CHATS["a"])
    ask(pool, CHATS["b"])
    running = pool.begin(tokens(CHATS["a"]))
    running.report(1)  # only what both begin with
    write(running, " yes")
    running.left()
    assert pool.held(tokens(CHATS["b"])).tokens == 1


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([0], Held(0, sure=True)),  # started anew
        ([5], Held(0, sure=False)),  # somebody else was there
        (None, Held(62, sure=False)),  # it does not say
    ],
)
def test_what_the_server_says_it_holds_shows_who_else_was_there(sizes: list[int] | None, expected: Held):
    pool = LlamaPool(1)
    ask(pool, CHATS["a"])
    pool.look(sizes)
    found = pool.held(tokens(CHATS["a"] + " yes more"))
    assert found == expected if expected.tokens == 0 else (found.tokens or 0) > 60 and not found.sure


def test_a_server_with_another_number_of_places_is_another_one():
    pool = LlamaPool(1)
    ask(pool, CHATS["a"])
    pool.look([0, 0, 0])
    assert pool.held(tokens(CHATS["a"])) == Held(0, sure=True)
    for name in "abc":
        ask(pool, CHATS[name])
    assert pool.held(tokens(CHATS["a"])).tokens == len(tokens(CHATS["a"])) - 1


def test_a_forecast_that_came_true_is_sure_again():
    pool = LlamaPool(1)
    ask(pool, CHATS["a"])
    pool.look([5])
    running = pool.begin(tokens(CHATS["a"]))
    running.report(0)
    write(running, " yes")
    running.left()
    assert pool.held(tokens(CHATS["a"])).sure


def test_stopped_while_it_reads_only_a_part_is_held():
    pool = LlamaPool(1)
    running = pool.begin(tokens(CHATS["a"]))
    assert pool.answering
    running.left()
    pool.look([10])
    assert pool.held(tokens(CHATS["a"])) == Held(10, sure=True)
