"""What version 1 keeps for those who build on it: as the program has it now, and as `version-1.json` recorded it.

`python -m tests.stable.recorded` writes the file anew. A new name is recorded so, and stays from then on. A name that
leaves, or another type, breaks what people made of it: that is a version 2 of its format.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.keys import CHEAP
from tests.fakes.stores import connect, open_store
from tests.trajectories.cases import case_names, load_case
from workbench.__main__ import main
from workbench.cli.expected import EXPECTED_FORMAT
from workbench.cli.replay.trajectory import TRAJECTORY_FORMAT, parse_trajectory
from workbench.context.report import REPORT_FORMAT
from workbench.domain.reading.node import Fields, Node
from workbench.engine.exchange import json_format, workspace_format
from workbench.storage.database.format import SCHEMA_VERSION
from workbench.storage.keys import protectors, vault

FILE = Path(__file__).with_name("version-1.json")
MAPS = ("replay.turns[].settings", "settings.models", "settings.servers", "settings.sessions")
"""Objects whose names are those of models, servers and settings: what is in them has a list of its own, or none."""
QUESTION = "When is the release, and who decides?"


def now() -> dict[str, Any]:
    """What the program has now."""
    return {
        "formats": {
            "trajectory": TRAJECTORY_FORMAT,
            "report": REPORT_FORMAT,
            "expected": EXPECTED_FORMAT,
            "chats": json_format.FORMAT,
            "workspace": workspace_format.FORMAT,
            "keys": protectors.FORMAT,
            "store": SCHEMA_VERSION,
        },
        "store": tables(),
        "trajectory": trajectory_names(),
        "settings": {one.pop("key"): one for one in json.loads(said("settings", "keys"))},
        "outputs": outputs(),
    }


def recorded() -> dict[str, Any]:
    """What was recorded."""
    found: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def tables() -> dict[str, list[str]]:
    """The tables of a new store, with their columns."""
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(Path(folder) / "history.db")
        asyncio.run(store.close())
        connection = connect(Path(folder) / "history.db")
        names = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
        ).fetchall()
        found = {
            name: [
                f"{column}: {kind}"
                for _, column, kind, *_ in connection.execute(f"PRAGMA table_info({name})")
            ]
            for (name,) in names
        }
        connection.close()
        return found


def trajectory_names() -> dict[str, list[str]]:
    """The names that may stand in a trajectory, by the place of their object."""
    found: dict[str, set[str]] = {}
    real = Node.fields

    def noting(node: Node, known: Sequence[str], ignored: Sequence[str] = ()) -> Fields:
        place = ".".join("[]" if isinstance(step, int) else step for step in node.place).replace(".[]", "[]")
        found.setdefault(place, set()).update(known)
        return real(node, known, ignored)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Node, "fields", noting)
        for name in case_names():
            parse_trajectory(load_case(name))
    return {place: sorted(names) for place, names in sorted(found.items())}


def outputs() -> dict[str, list[str]]:
    """What `--json` prints, command by command: a line for every place, with the types of its value."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        place = Path(folder)
        (place / "answer.txt").write_text("On 5 May 2026; Ada decides.", encoding="utf-8")
        (place / "key.txt").write_text("ample otter glides", encoding="utf-8")
        (place / "docs").mkdir()
        (place / "docs" / "notes.md").write_text(
            "# Plan\n\nThe release is on 5 May 2026.\n", encoding="utf-8"
        )
        case = {**load_case(case_names()[0]), "settings": {"model": "gpt-4o"}}
        (place / "case.json").write_text(json.dumps(case), encoding="utf-8")
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("WORKBENCH_DATA_DIR", f"{folder}/data")
            patch.setenv("WORKBENCH_PASSPHRASE", "ample otter glides")
            patch.setattr(vault, "USUAL_COST", CHEAP)
            return {name: list(lines_of(name, text)) for name, text in _talks()}


def _talks() -> Iterator[tuple[str, str]]:
    asked = ("--model", "scripted:answer.txt", "--attach", "docs/notes.md")
    yield "ask --dry-run", said("ask", QUESTION, *asked, "--dry-run")
    yield "ask", (line := said("ask", QUESTION, "And why?", *asked, "--save-preset", "Plan"))
    chat = json.loads(line.splitlines()[0])["chat"]
    message = json.loads(said("history", "show", chat))["messages"][0]["id"]
    for name in (
        "replay case.json", f"inspect {chat}", f"inspect {chat} --turn 2 --diff 1", f"inspect {chat} --facts",
        f"compare {chat}:1 {chat}:2", "spend", "keys status", "keys provider", "history list", f"history show {chat}",
        "history search release", f"history sides {chat}", "history verify",
        f"history title {chat} Plan", f"history fork {chat} {message}", "history export --format json",
        f"history delete {chat}",
        "settings keys", "settings show", "settings set max_tool_rounds=9",
        "presets list", "presets show Plan", "workspaces create Team --folder docs", "workspaces list",
        "workspaces show Team", "folders add docs", "folders list", "folders search release", "folders remove docs",
        "tools list", "models list", "doctor", "guide", "guide cache", "about", "watch list",
        "watch sessions", "watch rules add claude results.shorten", "watch rules list",
    ):  # fmt: skip
        words = name.split()
        yield name.replace(chat, "CHAT").replace(message, "MESSAGE"), said(*words)


def said(*words: str) -> str:
    """What a command prints with `--json`, or what prints JSON without it."""
    out = io.TextIOWrapper(kept := io.BytesIO(), encoding="utf-8", write_through=True)
    plain = words[0] == "replay" or words[:2] == ("history", "export")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()) as err:
        try:
            code = main([*words, *(() if plain else ("--json",))])
        except SystemExit as end:
            code = int(end.code or 0)
    printed = kept.getvalue().decode("utf-8")
    assert not code, (words, code, err.getvalue(), printed)
    return printed


def lines_of(name: str, text: str) -> Iterator[str]:
    """The places of what was printed, each with the types that its values had."""
    found: dict[str, set[str]] = {}
    for line in text.splitlines() if name == "ask" else [text]:
        _walk(json.loads(line), "", found, name)
    for place, types in sorted(found.items()):
        yield f"{place or 'all of it'}: {' | '.join(sorted(types))}"


def _walk(value: Any, place: str, found: dict[str, set[str]], name: str) -> None:
    found.setdefault(place, set()).add("null" if value is None else type(value).__name__)
    if isinstance(value, dict) and f"{name.split(maxsplit=1)[0]}.{place}" not in MAPS:
        for key, below in value.items():
            _walk(below, f"{place}.{key}".lstrip("."), found, name)
    elif isinstance(value, list):
        for below in value:
            _walk(below, f"{place}[]", found, name)


if __name__ == "__main__":
    FILE.write_text(json.dumps(now(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
