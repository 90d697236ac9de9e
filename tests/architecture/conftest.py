"""What tests of the source have in common: trees of thousands of files, which nobody needs after them."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.source_tree import parse

HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def nothing_is_collected() -> Iterator[None]:
    """No piece of a tree needs a collection, and looking through millions of them takes longer than making them."""
    was_on = gc.isenabled()
    gc.disable()
    yield
    if was_on:
        gc.enable()


def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    """A file is parsed once for all tests here, and no tree is kept when a process goes on to others.

    Kept, two million pieces were looked through for garbage again and again in all tests that followed.
    """
    if nextitem is None or HERE not in nextitem.path.parents:
        parse.cache_clear()
