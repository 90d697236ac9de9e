"""What every model catalogue does."""

from __future__ import annotations

import pytest

from tests.fakes.catalogue import FakeCatalogue
from workbench.ports.models import ModelCatalogue
from workbench.providers.catalogue import load_catalogue
from workbench.sources.resources import resource_path

every_catalogue = pytest.mark.parametrize(
    ("catalogue", "known"),
    [(load_catalogue(resource_path("models.toml")), "gpt-4o"), (FakeCatalogue(), "word-1")],
    ids=["Catalogue", "FakeCatalogue"],
)
UNKNOWN_NAMES = ["nobody-knows-9", "", ":", "/", "\0", "x" * 10_000, "漢字"]


@every_catalogue
def test_a_known_model_has_its_own_card(catalogue: ModelCatalogue, known: str):
    card = catalogue.find(known)
    assert (card.name, card.exact) == (known, True)


@every_catalogue
@pytest.mark.parametrize("name", UNKNOWN_NAMES, ids=lambda name: repr(name[:20]))
def test_an_unknown_model_gets_a_cautious_card_of_its_name(catalogue: ModelCatalogue, known: str, name: str):
    card = catalogue.find(name)
    assert (card.name, card.exact) == (name, False)
    assert card.context_window_tokens > 0


@every_catalogue
def test_the_same_name_gives_an_equal_card(catalogue: ModelCatalogue, known: str):
    """Counters are kept by card; a new one at every turn would count everything again."""
    assert catalogue.find(known) == catalogue.find(known)
    assert hash(catalogue.find("nobody-knows-9")) == hash(catalogue.find("nobody-knows-9"))


@every_catalogue
def test_framing_is_never_negative(catalogue: ModelCatalogue, known: str):
    for card in (catalogue.find(known), catalogue.find("nobody-knows-9")):
        assert min(card.message_tokens, card.reply_tokens) >= 0
