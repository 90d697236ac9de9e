"""Stores that released versions made open, and hold what they held."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.stores import open_store
from tests.storage.fixtures.make_version import CONTENTS, HERE, STORE, contents
from workbench.storage.schema import SCHEMA_VERSION

VERSIONS = [f"version-{number}" for number in range(1, SCHEMA_VERSION + 1)]


@pytest.mark.parametrize("version", VERSIONS)
def test_an_old_store_reads_as_it_did(tmp_path: Path, version: str):
    shutil.copyfile(HERE / version / STORE, tmp_path / STORE)
    store = open_store(tmp_path / STORE)
    found = asyncio.run(contents(store))
    problems = asyncio.run(store.verify()).problems
    asyncio.run(store.close())
    kept = json.loads((HERE / version / CONTENTS).read_text(encoding="utf-8"))
    assert as_far_as(json.loads(found), kept) == kept
    assert problems == ()


def as_far_as(found: Any, kept: Any) -> Any:
    """What was found, without the fields that values have got since."""
    if isinstance(kept, dict) and isinstance(found, dict):
        return {key: as_far_as(found[key], kept[key]) for key in found if key in kept}
    if isinstance(kept, list) and isinstance(found, list) and len(kept) == len(found):
        return [as_far_as(*pair) for pair in zip(found, kept, strict=True)]
    return found


@pytest.mark.parametrize("version", VERSIONS)
def test_a_fixture_is_small(version: str):
    assert sum(file.stat().st_size for file in (HERE / version).iterdir()) < 200_000
