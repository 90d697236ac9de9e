"""A builder that says how many requests it built, in the loop or beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tests.fakes.turns import fake_builder
from workbench.context.assembly.memory import BuildMemory
from workbench.domain.model import ModelCard
from workbench.domain.turn import LibraryEntry
from workbench.engine.assembly.prepare import Builder


class CountingMemory(BuildMemory):
    """Every build takes its library from here, once."""

    def __init__(self) -> None:
        super().__init__()
        self.builds = 0

    def shelf(
        self, about: tuple[object, ...], make: Callable[[], tuple[LibraryEntry, ...]]
    ) -> tuple[LibraryEntry, ...]:
        """Count one more."""
        self.builds += 1
        return super().shelf(about, make)


def counted_builder(card: ModelCard) -> tuple[Builder, Callable[[], int]]:
    """A builder for one model, and how many requests it built until now."""
    within, beside = CountingMemory(), CountingMemory()
    builder = replace(fake_builder(card), memory=within)
    builder.thread.memory = beside
    return builder, lambda: within.builds + beside.builds
