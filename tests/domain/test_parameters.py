"""Parameters: only what is set, only what a model takes, and for the rest a reason."""

from __future__ import annotations

import pytest

from workbench.domain.codec import decode, encode
from workbench.domain.errors import InvalidInput
from workbench.domain.parameters import ParameterRules, Parameters, Unsent
from workbench.domain.reading.form import form_of
from workbench.domain.reading.node import Node
from workbench.domain.settings.context_settings import ContextSettings

SCHEMA = '{"type":"object"}'
EFFORT = Parameters(reasoning_effort="low")
UNREASONED = "it is taken without reasoning only (reasoning_effort none)"
EVERYTHING = Parameters(0.0, 0.5, ("END",), 7, "low", SCHEMA)
FINE = Parameters(top_k=40, min_p=0.0, frequency_penalty=-2.0, presence_penalty=0.5, extra='{"top_a":0.1}')


def test_only_what_is_set_is_given():
    assert Parameters(stop=()).given == {}
    assert Parameters(temperature=0.0).given == {"temperature": 0.0}
    assert EVERYTHING.given == {
        "temperature": 0.0, "top_p": 0.5, "stop": ["END"], "seed": 7,
        "reasoning_effort": "low", "response_format": {"type": "object"},
    }  # fmt: skip
    assert Parameters(response_format="json").given == {"response_format": "json"}
    assert FINE.given == {
        "top_k": 40,
        "min_p": 0.0,
        "frequency_penalty": -2.0,
        "presence_penalty": 0.5,
        "extra": {"top_a": 0.1},
    }


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("top_k", 0),
        ("top_k", 1.5),
        ("min_p", 1.1),
        ("frequency_penalty", 2.1),
        ("presence_penalty", -3),
        ("extra", 1),
    ],
)
def test_what_no_provider_takes_is_refused_by_its_name(name: str, value: float):
    with pytest.raises(InvalidInput, match=name):
        form_of(Parameters).read(Node({name: value}, ""), Parameters())


def test_what_was_kept_before_there_were_parameters_is_read():
    kept = encode(ContextSettings(model="m"))
    del kept["parameters"]
    assert decode(ContextSettings, kept) == ContextSettings(model="m")
    few = encode(ContextSettings(parameters=EVERYTHING))
    for name in ("top_k", "min_p", "frequency_penalty", "presence_penalty", "extra"):
        del few["parameters"][name]
    assert decode(ContextSettings, few) == ContextSettings(parameters=EVERYTHING)
    whole = ContextSettings(parameters=FINE)
    assert decode(ContextSettings, encode(whole)) == whole


def test_a_model_without_rules_takes_everything():
    assert ParameterRules().taken(EVERYTHING) == EVERYTHING
    assert ParameterRules().unsent(EVERYTHING) == ()


@pytest.mark.parametrize(
    ("rules", "given", "unsent"),
    [
        (ParameterRules((("seed", "it has none"),)), EVERYTHING, {"seed": "it has none"}),
        (ParameterRules(most_temperature=1), Parameters(1.5), {"temperature": "it takes temperatures up to 1"}),
        (ParameterRules(one_sampler=True), Parameters(0.5, 0.5), {"top_p": "it cannot be sent beside temperature"}),
        (ParameterRules(one_sampler=True), Parameters(top_p=0.5), {}),
        (ParameterRules(most_stops=1), Parameters(stop=("a", "b")), {"stop": "it takes at most 1 texts to stop at"}),
        (ParameterRules(efforts=("high",)), EFFORT, {"reasoning_effort": "it knows high only"}),
        (ParameterRules(sampling_efforts=("none",)), Parameters(0.5), {"temperature": UNREASONED}),
        (ParameterRules(sampling_efforts=("none",)), Parameters(0.5, reasoning_effort="none"), {}),
        (ParameterRules((("json", "a schema"),)), Parameters(response_format="json"), {"response_format": "a schema"}),
        (ParameterRules((("json", "a schema"),)), Parameters(response_format=SCHEMA), {}),
        (ParameterRules((("json_schema", "none"),)), Parameters(response_format=SCHEMA), {"response_format": "none"}),
    ],
)  # fmt: skip
def test_what_is_refused_stays_out_with_its_reason(
    rules: ParameterRules, given: Parameters, unsent: dict[str, str]
):
    assert rules.unsent(given) == tuple(Unsent(*one) for one in unsent.items())
    assert rules.taken(given).given.keys() == given.given.keys() - unsent.keys()


def test_a_form_of_answer_is_refused_whatever_it_is_only_where_both_are():
    assert ParameterRules((("json", "a"),)).refusal("response_format") == ""
    assert ParameterRules((("json", "a"), ("json_schema", "b"))).refusal("response_format") == "b"


def test_extra_fields_never_take_the_place_of_the_request_s_own():
    """What is shown would not be what is asked."""
    (refused,) = ParameterRules().unsent(Parameters(extra='{"messages":[],"top_a":1,"model":"x"}'))
    assert refused == Unsent("extra", "messages, model in it would be another request")
    assert ParameterRules().taken(Parameters(extra='{"model":"x"}')) == Parameters()
