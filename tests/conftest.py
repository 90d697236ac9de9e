"""Settings that all tests share: how hard they try, which of them are slow, and nobody's own folder."""

from __future__ import annotations

import gc
import os
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings

from tests.fakes.effort import effort, tries

# Qt reads it when it is loaded: no test opens a window on somebody's screen, or needs one.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # noqa: TID251

# No deadline: on a busy machine it fails tests that are merely slow. The same examples on every run, so
# that a failure seen once can be seen again.
settings.register_profile(effort(), deadline=None, derandomize=True, print_blob=True, max_examples=tries(100))
settings.load_profile(effort())

HERE = Path(__file__).parent
_HAS_QT: list[bool] = []
# What `dev.py test --quick` leaves out, by its folder or file; a single test has the mark itself.
SLOW = {
    "e2e": "whole programs and the real model",
    "contracts": "every implementation of every port: stores, servers, models",
    "storage": "real files, keys and faults: each test makes a store",
    "wiring": "everything put together, and processes",
    "providers/builtin": "the real model, in a process of its own",
    "providers/faults": "a server that breaks in every way, for every provider",
    "providers/harness": "servers that keep one waiting",
    "providers/test_named_models.py": "starts processes",
    "providers/test_table.py": "starts a process",
    "providers/test_tokenizer.py": "starts processes, and the real vocabularies",
    "cli/history": "a real store for each test",
    "cli/ask": "a real store for each test",
    "cli/test_interrupt.py": "starts the program",
    "cli/test_keys.py": "starts the program, and makes real keys",
    "cli/test_replay_fuzz.py": "starts the program, and thousands of inputs",
    "test_main.py": "starts the program",
    "cli/replay/test_trajectory.py": "thousands of inputs",
    "cli/test_keys_provider.py": "a real store for each test",
    "sources/test_resources.py": "builds a wheel",
    "sources/test_ignoring.py": "starts git",
    "sources/extract/test_corpus.py": "starts processes, and makes hundreds of files",
    "sources/extract/test_damaged.py": "starts processes, and hundreds of files",
    "sources/extract/test_kinds.py": "starts a process",
    "sources/extract/test_process.py": "starts processes, and waits for their ends",
    "sources/extract/test_real_documents.py": "starts processes, and reads whatever lies on the machine",
    "tools": "real folders, and somebody who swaps links in them",
    "packaging/test_bench.py": "starts processes, and git",
    "packaging/test_pip_client.py": "starts pip",
    "engine/test_kept_replay.py": "every trajectory through a store",
    "engine/exchange": "every format with every kind of damage",
    "ui/whole": "the whole window over a real store",
    "showroom": "the whole window, once for each picture",
    "ui/program": "the whole window, opened and closed",
    "ui/window": "the whole window",
    "ui/dialogs": "windows of their own",
    "ui/chat/text": "documents of every kind, letter by letter",
    "ui/chat/transcript": "hundreds of messages",
    "ui/chat/test_hostile_text.py": "megabytes of text",
    "ui/inspector/diff": "whole pages",
    "ui/inspector/payload": "whole pages",
    "ui/inspector/layers": "whole pages, and models under every change",
    "ui/inspector/turns": "whole pages, and models under every change",
    "ui/inspector/test_pages.py": "all pages",
    "ui/inspector/test_pane.py": "all pages",
    "architecture/test_bans_bite.py": "starts the linter",
    "architecture/test_contracts_bite.py": "starts the import checks",
    "architecture/test_core_purity.py": "starts the program",
    "architecture/test_readme.py": "starts the program",
    "architecture/test_startup.py": "starts the program",
}


# What takes longest begins first, so that no process is left with it at the end.
LONGEST = (
    "ui/whole",
    "showroom",
    "wiring",
    "e2e",
    "engine/shown",
    "contracts",
    "cli",
    "providers",
    "storage/faults",
)


@cache
def rank_of(path: Path) -> int:
    """How early a file is begun."""
    place = path.relative_to(HERE).as_posix()
    return next((rank for rank, folder in enumerate(LONGEST) if place.startswith(folder)), len(LONGEST))


# Where each variant takes long and fails with the others, every third is tried, all of them where a change is taken.
SAMPLED = {
    "showroom/test_figures.py": "a picture of the whole window each",
    "ui/chat/test_hostile_text.py": "a megabyte of text each",
    "contracts/test_chat_model.py": "the real model each; what it tells apart is in the first ones",
    "providers/faults/test_fault_table.py": "a connection that breaks each, for every provider",
    "showroom/test_conversation.py": "a moment of the scripted conversation each",
    "storage/faults/test_kills.py": "a program that is killed again and again each",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files first, each by one process; and no more variants than the effort allows."""
    if effort() in ("quick", "usual"):
        counts: Counter[str] = Counter()
        items[:] = [item for item in items if not _is_left_out(item, counts)]
    items.sort(key=lambda item: rank_of(item.path))


def _is_left_out(item: pytest.Item, counts: Counter[str]) -> bool:
    if item.path.relative_to(HERE).as_posix() not in SAMPLED or not hasattr(item, "callspec"):
        return False
    test = item.nodeid.partition("[")[0]
    counts[test] += 1
    return counts[test] % 3 != 1


@cache
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


def pytest_collection() -> None:
    """Thousands of tests, and all they import, stay to the end: looking through them for garbage takes many seconds."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Once is enough, and never again after that."""
    gc.collect()
    gc.freeze()
    gc.enable()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """From the first Qt application on, this process collects garbage between two tests only, in this thread.

    Python collects in whatever thread allocates, the database's or a model's: it would end widgets and timers there,
    and the process with them.
    """
    if "qapp" in getattr(item, "fixturenames", ()):
        gc.disable()
        _HAS_QT.append(True)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """By what has piled up: to look through everything after each test takes minutes."""
    if _HAS_QT:
        gc.disable()  # also after a test that is about collecting
        from workbench.ui.garbage import collect_by_count

        collect_by_count()


@pytest.fixture(autouse=True, scope="session")
def nobodys_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Settings and models that whoever runs the tests has for themselves must not change what they find."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WORKBENCH_DATA_DIR", str(tmp_path_factory.mktemp("nobody") / "data"))
        yield


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """What waits until nobody types any more waits a moment only: a test types all at once, and waits for the end."""
    from workbench.engine.open_chat import cache, commands
    from workbench.engine.shown import mentions_ahead

    for module in (cache, commands, mentions_ahead):
        monkeypatch.setattr(module, "SETTLE_S", 0.02)
