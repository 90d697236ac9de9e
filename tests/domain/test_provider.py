"""The table of providers: every fact about one stands in its line, and nowhere else."""

from __future__ import annotations

import ast
from dataclasses import fields
from operator import attrgetter
from pathlib import Path

import pytest

from tests.architecture.source_tree import ROOT
from workbench.domain.provider import BY_NAME, HOSTED, KEYED, PROVIDERS, RUN_HERE, provider_of
from workbench.domain.settings.app_preferences import Preferences

KINDS_OF_SECRETS = {"context/clean/secrets.py", "domain/secrets.py"}
# What other programs speak, whoever answers them.
PROTOCOLS = {
    "domain/watch/exchange.py", "domain/watch/routes.py", "context/watch/prefix.py", "engine/watch/kept_turn.py",
}  # fmt: skip


def test_names_are_told_apart_and_say_where_models_run():
    assert len(BY_NAME) == len(PROVIDERS)
    assert {"builtin", "gguf", "ollama", "scripted"} == RUN_HERE


@pytest.mark.parametrize(
    ("model", "name"),
    [("builtin", "builtin"), ("openai:gpt-4o", "openai"), ("server:https://x#m", "server"), ("gpt-4o", None)],
)
def test_a_models_name_begins_with_its_provider(model: str, name: str | None):
    found = provider_of(model)
    assert (found and found.name) == name


def test_one_that_is_hosted_has_an_address_of_its_own_and_a_name_for_people():
    for one in HOSTED:
        assert one.url.startswith("https://")
        assert one.title


def test_gateways_are_settings_and_every_such_setting_is_a_gateway():
    """A setting that no line names would be read and never used: requests would go past the gateway."""
    declared = {field.name for field in fields(Preferences) if field.name.endswith("_url")}
    assert {one.gateway for one in HOSTED if one.gateway} == declared
    for one in filter(attrgetter("gateway"), HOSTED):
        set_so = Preferences(**{one.gateway: "https://gw.example"})  # type: ignore[arg-type]
        assert set_so.addresses == {one.name: "https://gw.example"}


def test_nobody_else_lists_providers():
    """A second list is where the next provider is forgotten."""
    rooms = ROOT / "workbench"
    found = {path.relative_to(rooms).as_posix() for path in rooms.rglob("*.py") if _lists_providers(path)}
    assert found - KINDS_OF_SECRETS - PROTOCOLS == {"domain/provider.py"}


def _lists_providers(path: Path) -> bool:
    """Whether one literal of a module has the names of several that are hosted."""
    text = path.read_text("utf-8")
    if sum(f'"{name}"' in text for name in KEYED) < 2:
        return False
    literals = (ast.Tuple, ast.List, ast.Set, ast.Dict, ast.MatchOr)
    lists = (node for node in ast.walk(ast.parse(text)) if isinstance(node, literals))
    return any(len({one.value for one in _constants(node)}.intersection(KEYED)) > 1 for node in lists)


def _constants(node: ast.AST) -> list[ast.Constant]:
    return [one for one in ast.walk(node) if isinstance(one, ast.Constant)]
