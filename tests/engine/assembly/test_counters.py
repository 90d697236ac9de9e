"""Counters: the one the settings ask for, made once, so that what it counted stays known."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.served import FRAMING
from tests.fakes.tokenizer import WordTokenizer
from tests.fakes.turns import wire
from workbench.context.count.counting import CharsCounter, RfcCounter, TokenizerCounter
from workbench.context.count.served import ServedCounter
from workbench.domain.model import Calibration
from workbench.engine.assembly.counters import Counters, counted_alike


class Loading:
    """Loads word tokenizers and remembers for which encodings it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.tokenizer = WordTokenizer()

    def __call__(self, name: str) -> WordTokenizer:
        self.asked.append(name)
        return self.tokenizer


def test_each_setting_has_its_counter():
    counters = Counters(Loading())
    kinds = [type(counters.counter(name, WORD_MODEL)) for name in ("exact", "rfc", "chars4")]
    assert kinds == [TokenizerCounter, RfcCounter, CharsCounter]


def test_estimates_load_no_tokenizer():
    loading = Loading()
    counters = Counters(loading)
    counters.counter("rfc", WORD_MODEL)
    counters.counter("chars4", WORD_MODEL)
    assert loading.asked == []


def test_a_model_s_counter_is_made_once():
    counters = Counters(Loading())
    assert counters.counter("exact", WORD_MODEL) is counters.counter("exact", replace(WORD_MODEL))


def test_models_of_one_encoding_share_what_was_counted():
    loading = Loading()
    counters = Counters(loading)
    for name in ("word-1", "word-2"):
        counters.counter("exact", replace(WORD_MODEL, name=name)).costs(wire("m", "user", "some words"))
    assert loading.asked == ["words"]
    assert loading.tokenizer.asked.count("some words") == 1


def test_framing_is_the_model_s_own():
    counters = Counters(Loading())
    cheap, dear = (counters.counter("exact", replace(WORD_MODEL, message_tokens=n)) for n in (0, 7))
    message = wire("m", "user", "some words")
    assert (cheap.costs(message), dear.costs(message)) == ((3,), (10,))


SERVED = replace(WORD_MODEL, tokenizer="server:builtin")


def test_a_model_with_a_server_of_its_own_is_counted_by_it():
    counters = Counters(Loading())
    counter = counters.counter("exact", SERVED)
    assert isinstance(counter, ServedCounter)
    assert counter is counters.served(replace(SERVED, control_tokens=("<s>",)))
    assert counters.served(WORD_MODEL) is None
    assert isinstance(counters.counter("rfc", SERVED), RfcCounter)


def test_until_that_server_was_asked_the_nearest_encoding_estimates():
    loading = Loading()
    counter = Counters(loading).counter("exact", SERVED)
    message = wire("m", "user", "some words")
    assert counter.costs(message) == (6,)
    assert not counter.exact
    assert loading.asked == ["o200k_base"]


def test_what_a_server_counted_is_kept_under_its_name_and_known_again():
    counters, later = Counters(Loading()), Counters(Loading())
    first = counters.served(SERVED)
    assert first is not None
    first.learn({"some words": 9})
    new = counters.take_new()
    assert "server:builtin" in new
    later.learn("server:builtin", new["server:builtin"])
    counter = later.served(SERVED)
    assert counter is not None
    assert counter._counts.known("some words") == 9
    assert later.take_new() == {}


def test_counters_apart_know_what_is_known_and_change_nothing_until_they_are_taken_over():
    loading = Loading()
    counters = Counters(loading)
    message = wire("m", "user", "some words")
    expected = counters.counter("exact", WORD_MODEL).costs(message)
    counters.take_new()
    apart = counters.copy(WORD_MODEL)
    loading.tokenizer.asked.clear()
    assert apart.counter("exact", WORD_MODEL).costs(wire("m", "user", "some words")) == expected
    assert loading.tokenizer.asked == []
    apart.counter("exact", WORD_MODEL).costs(wire("n", "user", "other words"))
    assert counters.take_new() == {}
    counters.merge(apart)
    loading.tokenizer.asked.clear()
    counters.counter("exact", WORD_MODEL).costs(wire("n", "user", "other words"))
    assert loading.tokenizer.asked == []
    assert list(counters.take_new()) == ["words"]
    assert loading.asked == ["words"]


def test_what_is_missed_apart_is_missed_here_after_it_was_taken_over():
    counters = Counters(Loading())
    card = replace(WORD_MODEL, tokenizer="server:one")
    here = counters.served(card)
    assert here is not None
    here.frame(FRAMING)
    apart = counters.copy(card)
    there = apart.served(card)
    assert there is not None
    assert there is not here
    there.costs(wire("m", "user", "never seen"))
    assert not any("never seen" in text for text in here.missing())
    counters.merge(apart)
    assert set(there.missing()) <= set(here.missing())
    assert any("never seen" in text for text in here.missing())


def test_a_report_that_says_the_same_leaves_every_counter_as_it_is():
    """Every turn threw all counters away, and had every open chat counted again."""
    counters, card = Counters(Loading()), replace(WORD_MODEL, exact=False)
    alike = counted_alike(card)
    assert counters.calibrate(alike, Calibration(1.2, 0.01, 3))
    counter = counters.counter("exact", card)
    assert not counters.calibrate(alike, Calibration(1.2, 0.01, 4))
    assert counters.counter("exact", card) is counter
    assert counters.calibrate(alike, Calibration(1.3, 0.01, 5))
    assert counters.counter("exact", card) is not counter
