"""Whether Ollama dropped a part of the request: only what is certain is said."""

from __future__ import annotations

import pytest

from tests.fakes.answers import question
from tests.fakes.real_encodings import CL100K
from workbench.domain.usage import Usage
from workbench.providers.ollama.model import check_overflow, least_tokens, most_tokens
from workbench.providers.wire.faults import Overflowed

PROSE = "It was a bright cold day in April, and the clocks were striking thirteen. " * 100
WORDS = 1400


def dropped(usage: Usage | None, text: str = "Why?", window_tokens: int = 4096) -> bool:
    try:
        check_overflow(question(text, window_tokens=window_tokens), usage)
    except Overflowed:
        return True
    return False


def test_without_counts_nothing_can_be_said():
    assert not dropped(None, PROSE, 100)
    assert not dropped(Usage(completion_tokens=5), PROSE, 100)


@pytest.mark.parametrize(
    ("read", "answered", "over"), [(4095, 0, True), (4096, 9, True), (4094, 2, False), (10, 9, False)]
)
def test_a_request_that_fills_the_window_left_something_out(read: int, answered: int, over: bool):
    assert dropped(Usage(read, completion_tokens=answered)) is over


def test_an_answer_beyond_the_window_has_lost_its_beginning():
    assert dropped(Usage(2050, completion_tokens=18290))
    assert not dropped(Usage(2050, completion_tokens=2046))


def test_fewer_tokens_than_words_are_not_the_whole_request():
    """Measured on Ollama 0.33: of a request of 50,000 tokens in a window of 32,768 it read 16,386, and said nothing."""
    assert dropped(Usage(1024 // 2 + 2, completion_tokens=5), PROSE, window_tokens=1024)
    assert not dropped(Usage(CL100K.count(PROSE), completion_tokens=5), PROSE, window_tokens=8192)


def test_a_request_that_must_fit_is_never_suspected():
    """Servers before November 2024 counted only what was not in their cache: few tokens mean nothing then."""
    assert not dropped(Usage(3, completion_tokens=5), PROSE, window_tokens=most_tokens(question(PROSE)))


def test_numbers_are_given_with_it():
    with pytest.raises(Overflowed) as overflow:
        check_overflow(question(PROSE, window_tokens=1024), Usage(500))
    assert (overflow.value.limit_tokens, overflow.value.asked_tokens) == (1024, WORDS)


@pytest.mark.parametrize(
    "text",
    [
        PROSE,
        "漢字かな交じり文" * 50,
        "def f(x): return x_1 + [1]\n" * 50,
        "naïve Straße Ελλάδα привет " * 20,
        "",
        " \n",
    ],
)
def test_words_are_never_more_than_tokens_and_bytes_never_less(text: str):
    assert least_tokens(question(text)) <= CL100K.count(text) <= most_tokens(question(text))
