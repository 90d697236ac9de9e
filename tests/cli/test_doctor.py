"""`workbench doctor`: is everything there?"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cli.test_models import TwoModels
from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.chat_model import FakeModel, words
from tests.fakes.paper_keys import PaperKeys
from tests.fakes.parts import parts_with
from workbench.cli.main import run
from workbench.domain.errors import InvalidInput, NoKeysYet
from workbench.domain.keys.store_keys import KeyStatus
from workbench.domain.models.model_listing import ModelListing

Capture = pytest.CaptureFixture[str]


class NoStoreYet(PaperKeys):
    """The keys of a folder that has none."""

    def status(self) -> KeyStatus:
        """There is nothing to say."""
        raise NoKeysYet("here")


def doctor(*argv: str, **changes: Any) -> int:
    given: dict[str, Any] = {
        "keys": NoStoreYet,
        "models": lambda: TwoModels(FakeModel([words("x")])),
        "preferences_problems": lambda: (),
        "surroundings": lambda: (("display", "none", ""), ("keyring", "none", "")),
        **changes,
    }
    return run(["doctor", *argv], lambda _: parts_with(**given))


def test_everything_that_is_there_is_ok(capsys: Capture):
    assert doctor() == 0
    assert [line.split(":")[0].split() for line in capsys.readouterr().out.splitlines()] == [
        ["ok", name]
        for name in ("display", "keyring", "store", "settings", "catalogue", "ranks", "model", "providers")
    ]


def test_what_is_missing_says_what_to_do(capsys: Capture):
    lacking = (("display", "none", "Set DISPLAY."),)
    assert doctor(surroundings=lambda: lacking, preferences_problems=lambda: ("line 3 is broken",)) == 1
    shown = capsys.readouterr().out
    assert "look  display: none\n        Set DISPLAY." in shown
    assert "look  settings: line 3 is broken" in shown


def test_a_catalogue_that_cannot_be_used_is_named_and_the_rest_is_looked_at(capsys: Capture):
    def complain() -> None:
        raise InvalidInput("models.toml: format", "expected another one")

    assert doctor(check_catalogue=complain) == 1
    shown = capsys.readouterr().out
    assert "look  catalogue: models.toml: format: expected another one\n        Correct the file" in shown
    assert "ok    providers: " in shown


def test_a_server_that_is_not_there_is_looked_at(capsys: Capture):
    class Away(TwoModels):
        async def available(self) -> tuple[ModelListing, ...]:
            lab = ModelListing("lab:NAME", None, False, "Nothing answers at lab.", server=True)
            home = ModelListing("home:small", WORD_MODEL, True, server=True)
            return (*await super().available(), lab, home)

    assert doctor(models=lambda: Away(FakeModel([words("x")]))) == 1
    shown = capsys.readouterr().out
    assert "ok    providers: home\n" in shown
    assert "look  lab: cannot be used now\n        Nothing answers at lab." in shown


def test_machines_get_every_finding(capsys: Capture):
    assert doctor("--json", keys=PaperKeys) == 0
    found = {one["check"]: one for one in json.loads(capsys.readouterr().out)}
    assert found["store"]["ok"]
    assert found["providers"]["found"] == "none besides the built-in model"
