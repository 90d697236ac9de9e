"""Segments: a digest over what is rendered, and whether it is on the wire."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

import pytest

from tests.fakes.turns import segment
from workbench.domain.message import Image, ToolCall
from workbench.domain.segment import Form, LayerName
from workbench.domain.text import digest_text

CALLING = segment("m", "text", tool_calls=(ToolCall("c1", "read", "{}"),))


def test_the_names_are_the_contract_s():
    assert get_args(LayerName) == ("L1_SYSTEM", "L2_PREVIOUS", "L4_STRIP", "L3_TURN", "L5_USER")
    assert get_args(Form) == ("full", "reference", "compacted", "trimmed", "excluded", "changes")


def test_the_digest_of_a_text_is_the_text_s():
    assert segment("m", "text").digest == digest_text("text")


def test_what_depends_on_neighbours_is_not_in_the_digest():
    """Otherwise dropping one segment would show the next one as changed."""
    assert segment("m", "text", lead="\n\n").digest == segment("m", "text").digest


@pytest.mark.parametrize(
    "changes",
    [
        {"tool_calls": ()},
        {"tool_calls": (ToolCall("c2", "read", "{}"),)},
        {"tool_calls": (ToolCall("c1", "write", "{}"),)},
        {"tool_calls": (ToolCall("c1", "read", "[]"),)},
        {"tool_call_id": "c1"},
        {"images": (Image("d"),)},
        {"text": "other"},
    ],
    ids=str,
)
def test_native_parts_are_in_the_digest(changes: dict[str, Any]):
    assert replace(CALLING, **changes).digest != CALLING.digest


@pytest.mark.parametrize("form", get_args(Form))
def test_all_but_the_excluded_are_sent(form: Form):
    assert segment("m", form=form).sent == (form != "excluded")
