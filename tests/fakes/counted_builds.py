"""A builder that says how many requests it built, in the loop or beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tests.fakes.turns import fake_builder
from workbench.context.assembly.history import History
from workbench.context.assembly.memory import BuildMemory, Seam
from workbench.domain.message import Entry
from workbench.domain.model import ModelCard
from workbench.engine.assembly.prepare import Builder


class CountingMemory(BuildMemory):
    """Every build takes its history from here, once."""

    def __init__(self) -> None:
        super().__init__()
        self.builds = 0

    def history(
        self,
        entries: tuple[Entry, ...],
        key: tuple[object, ...],
        normalise: Callable[[tuple[Entry, ...]], History],
        is_seam: Seam = lambda before, after: False,
    ) -> History:
        """Count one more."""
        self.builds += 1
        return super().history(entries, key, normalise, is_seam)


def counted_builder(card: ModelCard) -> tuple[Builder, Callable[[], int]]:
    """A builder for one model, and how many requests it built until now."""
    within, beside = CountingMemory(), CountingMemory()
    builder = replace(fake_builder(card), memory=within)
    builder.thread.memory = beside
    return builder, lambda: within.builds + beside.builds
