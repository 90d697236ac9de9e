"""`workbench doctor`: is everything there?"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.fakes.chat_model import FakeModel, FakeModels, words
from tests.fakes.paper_keys import PaperKeys
from tests.fakes.parts import parts_with
from workbench.cli.main import run
from workbench.domain.errors import InvalidInput, NoKeysYet
from workbench.domain.model import ServerLook
from workbench.domain.secrets import KeyStatus
from workbench.domain.settings.context_settings import ContextSettings

Capture = pytest.CaptureFixture[str]


class NoStoreYet(PaperKeys):
    """The keys of a folder that has none."""

    def status(self) -> KeyStatus:
        """There is nothing to say."""
        raise NoKeysYet("here")


class Looked(FakeModels):
    """Places that were looked at already, besides the built-in model."""

    def __init__(self, *looks: ServerLook) -> None:
        super().__init__(FakeModel([words("x")]))
        self.looks = (ServerLook("builtin", True, "the built-in model is there"), *looks)
        self.asked: list[bool] = []

    async def look(self, *, hosted: bool) -> tuple[ServerLook, ...]:
        """As the test says."""
        self.asked.append(hosted)
        return self.looks


def doctor(*argv: str, **changes: Any) -> int:
    given: dict[str, Any] = {
        "keys": NoStoreYet,
        "models": Looked,
        "new_chat_settings": lambda tools: ContextSettings(model="builtin"),
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
    lab = ServerLook("lab", False, "lab cannot be used", "Start it.")
    home = ServerLook("home", True, "home answers (1 model)")
    assert doctor(models=lambda: Looked(lab, home)) == 1
    shown = capsys.readouterr().out
    assert "ok    providers: home\n" in shown
    assert "look  lab: lab cannot be used\n        Start it.\nok    home: home answers (1 model)\n" in shown


def test_ollama_may_be_away_unless_new_chats_ask_it(capsys: Capture):
    away = ServerLook("ollama", False, "127.0.0.1:11434 cannot be used", "Is Ollama running?")
    assert doctor(models=lambda: Looked(away)) == 0
    assert "ok    ollama: 127.0.0.1:11434 cannot be used (no new chat asks it)\n" in capsys.readouterr().out
    asked = ContextSettings(model="ollama:llama3.2")
    assert doctor(models=lambda: Looked(away), new_chat_settings=lambda tools: asked) == 1
    assert "look  ollama: 127.0.0.1:11434 cannot be used\n        Is Ollama" in capsys.readouterr().out


def test_vendors_are_listed_and_asked_only_where_somebody_says_so(capsys: Capture):
    listed = ServerLook("openai", True, "api.openai.com is not asked", asked=False)
    keyless = ServerLook("gemini", False, "far", "needs a key", asked=False, keyless=True)
    models = Looked(listed, keyless)
    assert doctor(models=lambda: models) == 0
    assert capsys.readouterr().out.endswith("ok    providers: openai\n")
    models.looks = (models.looks[0], ServerLook("openai", False, "api.openai.com cannot be used", "Why."))
    assert doctor("--ask", models=lambda: models) == 1
    assert "look  openai: api.openai.com cannot be used\n        Why.\n" in capsys.readouterr().out
    assert models.asked == [False, True]


def test_machines_get_every_finding(capsys: Capture):
    assert doctor("--json", keys=PaperKeys) == 0
    found = {one["check"]: one for one in json.loads(capsys.readouterr().out)}
    assert found["store"]["ok"]
    assert found["providers"]["found"] == "none besides the built-in model"
