"""Parameters on a real llama.cpp: the same words for the same seed, and JSON that follows its schema."""

from __future__ import annotations

import json
from dataclasses import replace

from tests.e2e.conftest import Run
from tests.fakes.llama_runs import chat
from workbench.domain.answer import TextGrew
from workbench.domain.parameters import Parameters
from workbench.providers.builtin.model import BuiltinModel

SCHEMA = {
    "type": "object",
    "properties": {"colour": {"enum": ["red", "blue"]}, "count": {"type": "integer"}},
    "required": ["colour", "count"],
    "additionalProperties": False,
}


async def said(model: BuiltinModel, chosen: Parameters, most: int = 24) -> str:
    asked = replace(
        chat(("user", "Tell me a story about a red ball.")),
        model="builtin",
        chosen=chosen,
        max_output_tokens=most,
    )
    return "".join([part.text async for part in model.stream(asked) if isinstance(part, TextGrew)])


def test_a_temperature_of_nothing_and_a_seed_give_the_same_answer_twice(run: Run, model: BuiltinModel):
    steady = Parameters(temperature=0.0, seed=7)
    first = run(said(model, steady))
    assert first
    assert run(said(model, steady)) == first
    wild = {run(said(model, Parameters(temperature=2.0, seed=seed))) for seed in (1, 2, 3)}
    assert len(wild) > 1


def test_a_schema_is_obeyed_and_a_text_to_stop_at_stops(run: Run, model: BuiltinModel):
    found = json.loads(run(said(model, Parameters(temperature=0.0, response_format=json.dumps(SCHEMA)), 60)))
    assert found.keys() == {"colour", "count"}
    assert found["colour"] in ("red", "blue")
    whole = run(said(model, Parameters(temperature=0.0)))
    word = whole.split()[2]
    assert word not in run(said(model, Parameters(temperature=0.0, stop=(word,))))
