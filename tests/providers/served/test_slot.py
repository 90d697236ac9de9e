"""What the cache will serve, by the server's own rule; the real server is asked in tests/e2e."""

from __future__ import annotations

import pytest

from tests.fakes.llama_double import ident, pieces
from workbench.providers.served.slot import LlamaSlot, Token


def tokens(text: str) -> list[Token]:
    return [Token(ident(piece), piece) for piece in pieces(text)]


def after(prompt: str, *answer: tuple[str, int], total: int | None = None) -> LlamaSlot:
    """A slot that has read a prompt and written an answer: texts, and the number of tokens after each."""
    slot = LlamaSlot()
    slot.begin(1, tokens(prompt))
    for text, number in answer:
        slot.grew(text, number)
    if total is not None:
        slot.ended(total)
    slot.left()
    return slot


def test_a_server_that_was_never_asked_holds_nothing():
    assert LlamaSlot().shared_tokens(1, tokens("a b")) == 0


def test_another_run_of_the_server_holds_nothing():
    assert after("a b", total=1).shared_tokens(2, tokens("a b c")) == 0


def test_the_last_token_of_a_prompt_is_always_read_again():
    slot = after("a b c", total=1)
    assert slot.shared_tokens(1, tokens("a b c")) == 2
    assert slot.shared_tokens(1, tokens("a b")) == 1
    assert slot.shared_tokens(1, []) == 0


def test_the_answer_is_held_without_its_last_token():
    """A token is fed back only when the next one is wanted; the last one never is."""
    slot = after("a", (" b", 1), (" c", 2), total=2)
    assert slot.shared_tokens(1, tokens("a b c d")) == 2


def test_an_answer_that_said_it_was_over_is_held_whole():
    slot = after("a", (" b", 1), (" c", 2), total=3)
    assert slot.shared_tokens(1, tokens("a b c d")) == 3


def test_an_edited_answer_is_held_up_to_the_edit():
    slot = after("a", (" b", 1), (" c", 2), (" d", 3), total=4)
    assert slot.shared_tokens(1, tokens("a b x d")) == 2


def test_an_edited_prompt_is_held_up_to_the_edit():
    slot = after("a b c", (" d", 1), total=2)
    assert slot.shared_tokens(1, tokens("a x c d")) == 1


def test_a_character_of_several_tokens_is_known_by_what_they_write():
    slot = after("a\n", ("漢", 3), ("字", 6), total=7)
    assert slot.shared_tokens(1, tokens("a\n漢字\nb")) == 8


def test_a_character_that_differs_in_its_last_byte_shares_the_others():
    slot = after("\n", ("漢", 3), total=4)
    other = "\n" + chr(ord("漢") + 1) + "\n"
    assert slot.shared_tokens(1, tokens(other)) == 3


def test_the_same_text_in_fewer_tokens_is_not_the_same():
    """What the model wrote in two tokens, a tokenizer may write in one: then the server starts anew there."""
    slot = LlamaSlot()
    slot.begin(1, tokens("\n"))
    slot.grew("漢", 2)
    slot.ended(3)
    assert slot.shared_tokens(1, [*tokens("\n"), Token(9, "漢".encode()), *tokens("\n")]) == 1


def test_what_the_server_says_it_holds_is_the_limit():
    """Stopped while it reads, the server holds only a part of the prompt."""
    slot = after("a b c d e f")
    assert slot.shared_tokens(1, tokens("a b c d e f g"), held_tokens=3) == 3
    assert slot.shared_tokens(1, tokens("a b c d e f g"), held_tokens=100) == 6


def test_stopped_in_the_middle_all_that_came_is_held():
    slot = after("a", (" b", 1), (" c", 2))
    assert slot.shared_tokens(1, tokens("a b c d")) == 3


def test_the_next_prompt_replaces_the_last():
    slot = after("a", (" b", 1), total=2)
    slot.begin(1, tokens("x y"))
    slot.ended(1)
    assert (slot.shared_tokens(1, tokens("a b c")), slot.shared_tokens(1, tokens("x y z"))) == (0, 2)


def test_forgotten_it_holds_nothing():
    slot = after("a b", total=1)
    slot.forget()
    assert slot.shared_tokens(1, tokens("a b c")) == 0


@pytest.mark.parametrize("ended", [False, True])
def test_it_tells_whether_an_answer_is_being_read(ended: bool):
    slot = LlamaSlot()
    seen = [slot.answering]
    slot.begin(1, tokens("a"))
    seen.append(slot.answering)
    if ended:
        slot.ended(1)
    slot.left()
    assert [*seen, slot.answering] == [False, True, False]


def test_of_an_answer_whose_tokens_are_numbers_alone_nothing_is_claimed():
    slot = LlamaSlot()
    slot.begin(1, [Token(1, b""), Token(2, b"")])
    slot.grew("漢字", 4)
    slot.ended(5)
    assert slot.common([Token(number, b"") for number in (1, 2, 3, 4, 5, 6)]) == 2
