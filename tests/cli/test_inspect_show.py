"""What `workbench inspect` says about a request: tested through the command in test_inspect.py; here its words."""

from __future__ import annotations

import pytest

from workbench.cli.inspect_show import _cause, _show_difference
from workbench.domain.change import Cause, Divergence, PrefixChange
from workbench.engine.shown.inspection import Difference, Row

CHANGE = PrefixChange(
    "diverged", Divergence("L2_PREVIOUS", "api.md", 911), (Cause("file_changed", "api.md"),), 911
)


def test_a_cause_is_named_with_what_it_happened_to():
    assert _cause({"cause": "file_changed", "subject": "api.md"}) == "file changed (api.md)"
    assert _cause({"cause": "settings", "subject": None}) == "settings"


def test_a_difference_names_its_first_place_and_its_cause(capsys: pytest.CaptureFixture[str]):
    rows: tuple[Row, ...] = (("changed", "L2_PREVIOUS", "api.md", "400 → 410"),)
    _show_difference(Difference(1, 2, CHANGE, rows), as_json=False)
    shown = capsys.readouterr().out.splitlines()
    assert shown[:4] == [
        "turn 1 → turn 2: diverged",
        "911 tokens in common from the start",
        "first difference: api.md in L2_PREVIOUS, after token 911",
        "because: file changed (api.md)",
    ]
    assert shown[-1].split() == ["changed", "L2_PREVIOUS", "api.md", "400", "→", "410"]
