"""Makes the builder of requests: the model catalogue, the token counters, and which providers have keys."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from workbench.cli.terminal import tell
from workbench.context.recall.near_words import NearWords
from workbench.context.text.chunk_renderers import RendererRegistry
from workbench.domain.errors import InvalidInput
from workbench.domain.model import ModelCard, ModelFacts
from workbench.domain.secrets import Secret
from workbench.engine.assembly.counters import Counters
from workbench.engine.assembly.prepare import Builder
from workbench.engine.recall.finding import Recall
from workbench.ports.models import ModelCatalogue
from workbench.providers.cache_rules import load_rules
from workbench.providers.catalogue import Catalogue, load_catalogue
from workbench.providers.harness.given_key import NoKeys
from workbench.providers.prices import LatePrices
from workbench.providers.tokenizer import TiktokenTokenizer
from workbench.sources.clock import MachineClock
from workbench.sources.renderer_plugins import installed_renderers
from workbench.sources.resources import mapped_resource, resource_path
from workbench.wiring.folder import NoHome, ProgramFolder, has_keys, history, provider_keys

# The model catalogue of a call: the shipped one, with the user's own on top where there is one.

FILE_NAME = "models.toml"


class FolderCatalogue:
    """The shipped catalogue with the user's own on top, read when first needed → ModelCatalogue.

    A file that cannot be used is ignored, and `check` says why.
    """

    def __init__(self, shipped: Catalogue, place: ProgramFolder) -> None:
        self._shipped, self._place = shipped, place

    def find(self, name: str) -> ModelCard:
        """Returns the model's card, with what the settings declare about it."""
        card, declared = self._read[0].find(name), self._declared()
        return declared[name].on(card) if name in declared else card

    def names_of(self, provider: str) -> tuple[str, ...]:
        """Returns the known models of a provider."""
        return self._read[0].names_of(provider)

    def check(self) -> None:
        """Raises `InvalidInput` where the user's own catalogue cannot be used."""
        problem = self._read[1]
        if problem is not None:
            raise problem

    def _declared(self) -> Mapping[str, ModelFacts]:
        try:
            return self._place.preferences().models
        except NoHome:
            return {}

    @cached_property
    def _read(self) -> tuple[Catalogue, InvalidInput | None]:
        path = own_catalogue(self._place)
        if path is None:
            return self._shipped, None
        try:
            return load_catalogue(path, self._shipped), None
        except InvalidInput as problem:
            return self._shipped, problem


def own_catalogue(place: ProgramFolder) -> Path | None:
    """Returns the path of the user's own catalogue; None where there is none."""
    try:
        named = place.preferences().catalogue
        own = place.folder / (os.path.expanduser(named) or FILE_NAME)
    except NoHome:
        return None
    return own if named or os.path.lexists(own) else None


# For which servers there are keys, where that can be seen without asking anybody for a secret.


class UnaskedKeys(NoKeys):
    """Provider keys of a store that opens without asking for a secret; creates no store → ProviderKeys.

    They are for lists of usable models; the store is opened once for all of them.
    """

    def __init__(self, arguments: Namespace) -> None:
        self._arguments = arguments
        self._found: dict[str, Secret] | None = None

    async def origins(self) -> tuple[str, ...]:
        """Returns the origins that have keys; `WorkbenchError` where the store cannot be opened."""
        return tuple(await self._look())

    async def find(self, origin: str) -> Secret | None:
        """Returns the key for a server that is about to be used; `WorkbenchError` as for `origins`."""
        return (await self._look()).get(origin)

    async def _look(self) -> dict[str, Secret]:
        if self._found is None:
            self._found = await self._read() if has_keys(self._arguments) else {}
        return self._found

    async def _read(self) -> dict[str, Secret]:
        store = await history(self._arguments, asking=False).open(writable=False)
        try:
            kept = provider_keys(store)
            found = {origin: await kept.find(origin) for origin in await kept.origins()}
            return {origin: key for origin, key in found.items() if key is not None}
        finally:
            await store.close()


def make_catalogue(place: ProgramFolder) -> FolderCatalogue:
    """Makes the shipped catalogue with the user's own on top."""
    return FolderCatalogue(load_catalogue(resource_path("models.toml")), place)


def make_builder(catalogue: ModelCatalogue, *, few_texts: bool = False) -> Builder:
    """Makes the builder; tokenizers are loaded when they first count, for `few_texts` as far as those need it."""
    encodings = resource_path("encodings")
    found = installed_renderers()
    for problem in found.problems:
        tell(f"workbench: {problem}")
    return Builder(
        catalogue=catalogue,
        counters=Counters(lambda name: TiktokenTokenizer(name, encodings, few_texts=few_texts)),
        clock=MachineClock(),
        renderers=RendererRegistry(found.renderers),
        rulebook=load_rules(resource_path("cache-rules.toml")),
        recall=Recall(lambda: NearWords(mapped_resource("near-words.bin"))),
        prices=LatePrices(resource_path("prices.toml")),
    )
