"""Settings that all tests share: how hard they try, which of them are slow, and nobody's own folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.fakes.effort import effort, tries

# No deadline: on a busy machine it fails tests that are merely slow. The same examples on every run, so
# that a failure seen once can be seen again.
settings.register_profile(effort(), deadline=None, derandomize=True, print_blob=True, max_examples=tries(100))
settings.load_profile(effort())

HERE = Path(__file__).parent
# What `dev.py test --quick` leaves out, by its folder or file; a single test has the mark itself.
SLOW = {
    "e2e": "whole programs and the real model",
    "ui/whole": "the whole window over a real store",
    "ui/scenes": "the whole window, once for each picture",
    "ui/program": "the whole window, opened and closed",
    "ui/window": "the whole window",
    "wiring": "everything put together, and processes",
    "storage": "real files, keys and faults: each test makes a store",
    "providers/faults": "a server that breaks in every way, for every provider",
    "providers/builtin": "the real model, in a process of its own",
    "contracts": "every implementation of every port: stores, servers, models",
    "architecture/test_bans_bite.py": "starts the linter",
    "architecture/test_contracts_bite.py": "starts the import checks",
    "architecture/test_core_purity.py": "starts the program",
    "architecture/test_readme.py": "starts the program",
    "architecture/test_startup.py": "starts the program",
}


def is_slow(path: Path) -> bool:
    """Whether a folder or file stands in the table, or in a folder of it."""
    place = path.relative_to(HERE)
    return any(each.as_posix() in SLOW for each in (place, *place.parents))


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """What is slow is not even read where one is in a hurry."""
    return True if effort() == "quick" and is_slow(collection_path) else None


def pytest_itemcollected(item: pytest.Item) -> None:
    """The mark, for whoever asks for it by `-m slow` or `-m "not slow"`."""
    if is_slow(item.path):
        item.add_marker("slow")


@pytest.fixture(autouse=True, scope="session")
def nobodys_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Settings and models that whoever runs the tests has for themselves must not change what they find."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WORKBENCH_DATA_DIR", str(tmp_path_factory.mktemp("nobody") / "data"))
        yield
