"""The committed trajectories and their snapshots: where they lie, and how one becomes the other."""

from __future__ import annotations

import json
from pathlib import Path

from tests.trajectories.rendering import render_report
from tests.trajectories.support import Json, run

FOLDER = Path(__file__).resolve().parent / "cases"


def case_names() -> list[str]:
    """Every committed trajectory."""
    return sorted(path.stem for path in FOLDER.glob("*.json"))


def load_case(name: str) -> Json:
    """The trajectory as a document; `workbench replay` reads the same file."""
    document: Json = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return document


def snapshot_path(name: str) -> Path:
    """Where the readable report of a case is kept."""
    return FOLDER / f"{name}.report"


def snapshot_of(name: str) -> str:
    """What the report of a case looks like now."""
    return render_report(run(load_case(name)))
