"""A question beside the turns: built and counted as every request is, and its failure is an error with words."""

from __future__ import annotations

import pytest

from tests.fakes.chat_model import words
from tests.fakes.engine import fake_world
from tests.fakes.loop import in_calm_loop
from workbench.domain.answer import Failure
from workbench.domain.errors import WorkbenchError
from workbench.engine.turn.small_request import SmallRequest, ask_small_request, build_small_request

ASIDE = SmallRequest("a question", "word-1", "Answer in one word.", "What is it?", 20)


@in_calm_loop
async def test_it_is_answered_and_says_why_not():
    world = fake_world(words("Tea."), [Failure("auth", "The key was refused.")])
    request = await build_small_request(ASIDE, world)
    assert (request.model, request.cost_usd) == ("word-1", None)
    assert request.tokens == request.prepared.built.envelope.total_tokens > 0
    assert await ask_small_request(request, world) == "Tea."
    with pytest.raises(WorkbenchError, match=r"The key was refused\."):
        await ask_small_request(request, world)
