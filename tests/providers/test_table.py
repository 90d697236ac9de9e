"""What a new provider takes: a line in the table; where it has a protocol of its own, also its adapter's."""

from __future__ import annotations

import pytest

from tests.fakes.added_lines import run_with_lines
from workbench.domain.provider import KEYED, PROVIDERS
from workbench.providers.catalogue import load_catalogue
from workbench.providers.harness.harness import Learnt
from workbench.providers.named_models import ListsModels, model_at
from workbench.providers.served.servers import HeldByServers
from workbench.providers.wire.endpoint import Endpoint
from workbench.sources.resources import resource_path

LEARNT: Learnt = {}


@pytest.mark.parametrize("name", [one.name for one in PROVIDERS if "NAME" in one.form])
def test_every_provider_with_a_server_has_an_adapter(name: str):
    model = model_at(Endpoint("https://h.example", "m", provider=name), LEARNT, HeldByServers())
    assert isinstance(model, ListsModels)


def test_what_runs_in_this_program_has_no_endpoint():
    with pytest.raises(ValueError, match="builtin has no server"):
        model_at(Endpoint("https://h.example", "m", provider="builtin"), LEARNT, HeldByServers())


@pytest.mark.parametrize("name", KEYED)
def test_models_of_every_hosted_provider_are_known_to_be_its_own(name: str):
    """Without its prefix in the catalogue, a model had an assumed window, no price and nobody's name."""
    assert load_catalogue(resource_path("models.toml")).find(f"{name}:a-new-one").provider == name


# A line for one that speaks a protocol which is there, and for one with its own, which is a case more in the table.
LINES = {
    "workbench.domain.provider": {
        '    Provider("server", ': (
            '    Provider("bee", "openai", "NAME", "hosted", "Bee", "https://api.bee.example"),\n'
            '    Provider("acme", "acme", "NAME", "hosted", "Acme", "https://api.acme.example"),\n'
            '    Provider("server", '
        ),
    },
    "workbench.providers.named_models": {
        '        case "openai":\n': (
            '        case "acme":\n'
            "            from tests.fakes.chat_model import FakeModel, words\n"
            '            return FakeModel([words("Hello from Acme")])\n'
            '        case "openai":\n'
        ),
    },
}
SCRIPT = """
import argparse, asyncio, json
from PySide6.QtWidgets import QApplication, QLabel
from tests.fakes.answers import keep, question
from tests.fakes.provider_keys import MemoryProviderKeys
from tests.fakes.sample_state import sample_state
from tests.fakes.widgets import all_of
from workbench.cli.keys import add_arguments
from workbench.context.request_cost import runs_here
from workbench.domain.secrets import Secret
from workbench.engine.program.actions import key_origin
from workbench.providers.catalogue import load_catalogue
from workbench.providers.named_models import FORMS, NamedModels
from workbench.providers.wire.endpoint import origin
from workbench.sources.resources import resource_path
from workbench.ui.dialogs.model_picker import meaning
from workbench.ui.dialogs.settings_models import ModelsPage, server_problem

async def hosted(name, keys, catalogue):
    models = NamedModels(catalogue, keys, None, lambda: "")
    place = key_origin(name, origin, {})
    advice = next(one.advice for one in await models.available() if one.name == f"{name}:NAME")
    await keys.keep(place, Secret.of_text("k"))
    usable = next(one.usable for one in await models.available() if one.name == f"{name}:NAME")
    asked = models.origin_of(f"{name}:m") == place
    return [place, advice, usable, asked, models.open(f"{name}:m")]

async def main():
    keys, catalogue = MemoryProviderKeys(), load_catalogue(resource_path("models.toml"))
    QApplication([])
    page, parser = ModelsPage(), argparse.ArgumentParser()
    page.show_state(sample_state())
    shown = {label.text() for label in all_of(QLabel, page)}
    add_arguments(parser)
    told = {}
    for name, title in (("bee", "Bee"), ("acme", "Acme")):
        *facts, model = await hosted(name, keys, catalogue)
        told[name] = [
            *facts, f"{name}:NAME" in FORMS, name in parser.epilog, title in shown,
            meaning(f"{name}:m", (), ()).names == (f"{name}:m",), bool(server_problem(name, "https://x.example", ())),
            runs_here(catalogue.find(f"{name}:m")),
        ]
    told["answer"] = (await keep(model.stream(question()))).text
    print(json.dumps(told))

asyncio.run(main())
"""


def test_a_line_is_enough_for_keys_lists_names_settings_and_the_picker():
    """Each of these had its own list of providers once; whoever added one had to find them all."""
    told = run_with_lines(LINES, SCRIPT)
    assert told.pop("answer") == "Hello from Acme"
    assert told == {
        name: [
            f"https://api.{name}.example:443",
            f"needs a key: `workbench keys provider {name}`",
            *(True,) * 7,
            False,
        ]
        for name in ("bee", "acme")
    }
