"""What tests of the source have in common: trees of thousands of files, which nobody needs after them."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from tests.architecture.source_tree import parse


@pytest.fixture(autouse=True, scope="package")
def trees_are_let_go() -> Iterator[None]:
    """A file is parsed once for all tests here, and no longer kept than they run.

    Kept, two million pieces were looked through for garbage again and again while the tests of the window ran: a second
    or more each time. For the same reason nothing is collected while they pile up; no piece of a tree needs it.
    """
    was_on = gc.isenabled()
    gc.disable()
    yield
    parse.cache_clear()
    if was_on:
        gc.enable()
