"""What `workbench inspect` says about a request: tested through the command in test_inspect.py; here its words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.engine import SETTINGS
from tests.fakes.turns import fake_builder, user
from workbench.cli.envelope_table import parameter_lines
from workbench.cli.inspect import _cause, show_difference
from workbench.domain.change import Cause, Divergence, PrefixChange
from workbench.domain.parameters import ParameterRules, Parameters
from workbench.engine.assembly.prepare import Ask, prepare_turn
from workbench.engine.conversation import Conversation
from workbench.engine.shown.inspection import Difference, Row

CHANGE = PrefixChange(
    "diverged", Divergence("L2_PREVIOUS", "api.md", 911), (Cause("file_changed", "api.md"),), 911
)


def test_a_cause_is_named_with_what_it_happened_to():
    assert _cause({"cause": "file_changed", "subject": "api.md"}) == "file changed (api.md)"
    assert _cause({"cause": "settings", "subject": None}) == "settings"


def test_a_difference_names_its_first_place_and_its_cause(capsys: pytest.CaptureFixture[str]):
    rows: tuple[Row, ...] = (("changed", "L2_PREVIOUS", "api.md", "400 → 410"),)
    show_difference(Difference(1, 2, CHANGE, rows), as_json=False)
    shown = capsys.readouterr().out.splitlines()
    assert shown[:4] == [
        "turn 1 → turn 2: diverged",
        "911 tokens in common from the start",
        "first difference: api.md in L2_PREVIOUS, after token 911",
        "because: file changed (api.md)",
    ]
    assert shown[-1].split() == ["changed", "L2_PREVIOUS", "api.md", "400", "→", "410"]


def test_parameters_are_named_with_those_that_stayed_out():
    card = replace(WORD_MODEL, parameters=ParameterRules((("seed", "it has none"),)))
    settings = replace(SETTINGS, parameters=Parameters(temperature=0.5, seed=7, stop=("END",)))
    built = prepare_turn(Conversation("talk"), Ask(settings, user("q")), fake_builder(card)).built
    assert list(parameter_lines(built)) == [
        'parameters: temperature 0.5, stop ["END"]',
        "not sent: seed (it has none)",
    ]
