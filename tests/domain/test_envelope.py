"""The envelope: what fits, what a message's text is, and digests that follow the wire."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.turns import build, segment, user, wire
from workbench.domain.envelope import Budget, Envelope, Layer, TrimState
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.text import digest_chain

ENVELOPE = build(ContextSettings(system_prompt="Be kind."), question=user("q")).envelope


def priced(total: int, window: int) -> Envelope:
    return replace(ENVELOPE, total_tokens=total, budget=Budget(window, 0, None, window))


@pytest.mark.parametrize(("total", "over"), [(99, 0), (100, 0), (101, 1), (400, 300)])
def test_it_fits_up_to_the_window_and_says_by_how_much_it_does_not(total: int, over: int):
    envelope = priced(total, window=100)
    assert (envelope.over_by_tokens, envelope.fits) == (over, over == 0)


def test_a_message_s_content_is_its_leads_and_texts():
    message = wire("m", "user", segment("a", "one"), segment("b", "two", lead="\n\n"))
    assert message.content == "one\n\ntwo"


def test_messages_are_compared_by_identity():
    """Counts are remembered by message; equality by content would hash megabytes at every look."""
    assert wire("m", "user", "text") != wire("m", "user", "text")


def test_a_layer_costs_the_sum_of_its_segments():
    assert Layer("L4_STRIP", (segment("a"), segment("b")), (3, 4)).total_tokens == 7


def test_a_layer_s_digest_leaves_out_what_is_not_sent():
    sent, kept = segment("a", "one"), segment("b", "", form="excluded")
    assert Layer("L4_STRIP", (sent, kept), (1, 0)).digest == Layer("L4_STRIP", (sent,), (1,)).digest


def test_a_layer_s_digest_follows_the_order():
    one, two = segment("a", "one"), segment("b", "two")
    assert Layer("L4_STRIP", (one, two), (1, 1)).digest != Layer("L4_STRIP", (two, one), (1, 1)).digest


def test_the_combined_digest_chains_l1_and_l2():
    layers = [ENVELOPE.layer("L1_SYSTEM").digest, ENVELOPE.layer("L2_PREVIOUS").digest]
    assert ENVELOPE.combined_digest == digest_chain(layers)


def test_trimming_starts_before_everything():
    assert TrimState() == TrimState(boundary=0, boundary_message=None)
