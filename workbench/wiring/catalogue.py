"""The model catalogue of a call: the shipped one, with the user's own on top where there is one."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path

from workbench.domain.errors import InvalidInput
from workbench.domain.model import ModelCard
from workbench.providers.catalogue import Catalogue, load_catalogue
from workbench.wiring.folder import NoHome, Place

FILE_NAME = "models.toml"


class PlaceCatalogue:
    """Read when first needed; a file that cannot be used is left out, and `check` says why → ModelCatalogue."""

    def __init__(self, shipped: Catalogue, place: Place) -> None:
        self._shipped, self._place = shipped, place

    def find(self, name: str) -> ModelCard:
        """The model's card."""
        return self._read[0].find(name)

    def check(self) -> None:
        """`InvalidInput` where the user's own cannot be used."""
        problem = self._read[1]
        if problem is not None:
            raise problem

    @cached_property
    def _read(self) -> tuple[Catalogue, InvalidInput | None]:
        path = own_catalogue(self._place)
        if path is None:
            return self._shipped, None
        try:
            return load_catalogue(path, self._shipped), None
        except InvalidInput as problem:
            return self._shipped, problem


def own_catalogue(place: Place) -> Path | None:
    """Where the user's own catalogue lies; None where there is none."""
    try:
        named = place.preferences().catalogue
        own = place.folder / (os.path.expanduser(named) or FILE_NAME)
    except NoHome:
        return None
    return own if named or os.path.lexists(own) else None
