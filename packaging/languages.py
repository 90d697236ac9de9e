"""Bring the catalogues in resources/languages up to date with the words of the code: `dev.py languages`.

The .po files are for people who translate, the .mo files beside them for the program. With --check nothing is written,
and the exit code is 1 where a word is missing or outdated, or a catalogue is not the one its words make.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from strings import ROOT, strings

sys.path.insert(0, str(ROOT))
from workbench import __version__

FOLDER = ROOT / "resources" / "languages"
PLACEHOLDER = re.compile(r"\{(\w*)[^{}]*\}|(%\d|%\(\w+\)\w|%s)")


def template() -> Catalog:
    """Every marked word of the program, with the files it stands in."""
    made = Catalog(project="Context Workbench", charset="utf-8", fuzzy=False)
    files: dict[str, set[str]] = {}
    for one in strings():
        files.setdefault(one.text, set()).add(one.file)
    for text, places in sorted(files.items(), key=lambda each: (min(each[1]), each[0])):
        made.add(text, locations=[(place, 0) for place in sorted(places)[:3]])
    return made


def brought_up_to_date(path: Path, words: Catalog) -> Catalog:
    """The catalogue of a language with the words of now; what is new is empty, what is nearly the same is marked."""
    with path.open("rb") as file:
        found = read_po(file, locale=path.stem)
    found.update(words, no_fuzzy_matching=False, update_header_comment=False)
    return found


def problems(catalogue: Catalog) -> Iterator[str]:
    """What is missing or outdated, and what has other values than the English words."""
    for message in catalogue:
        if not message.id:
            continue
        if not message.string:
            yield f"missing: {message.id!r}"
        elif message.fuzzy:
            yield f"outdated: {message.id!r}"
        elif _values(str(message.id)) != _values(str(message.string)):
            yield f"other values: {message.id!r}"


def written(catalogue: Catalog) -> tuple[bytes, bytes]:
    """A catalogue for people and for the program."""
    text, machine = io.BytesIO(), io.BytesIO()
    catalogue.project, catalogue.version = "Context Workbench", __version__
    catalogue.creation_date = catalogue.revision_date = datetime(
        2026, 1, 1, tzinfo=UTC
    )  # two runs, the same bytes
    write_po(text, catalogue, width=0, ignore_obsolete=True, include_previous=False, include_lineno=False)
    write_mo(machine, catalogue)
    return text.getvalue(), machine.getvalue()


def main(arguments: list[str]) -> int:
    """A line for each problem and a sum for each language; 1 where there are any."""
    check, words, wrong = "--check" in arguments, template(), 0
    for path in sorted(FOLDER.glob("*.po")):
        catalogue = brought_up_to_date(path, words)
        found = list(problems(catalogue))
        text, machine = written(catalogue)
        if check:
            found += [
                f"not what its words make: {name}" for name, is_so in _stale(path, text, machine) if is_so
            ]
        else:
            path.write_bytes(text)
            path.with_suffix(".mo").write_bytes(machine)
        sys.stdout.writelines(f"{path.name}: {line}\n" for line in found)
        sys.stdout.write(f"{path.name}: {len(catalogue):,} words, {len(found):,} to do\n")
        wrong += len(found)
    return 1 if wrong else 0


def _stale(path: Path, text: bytes, machine: bytes) -> list[tuple[str, bool]]:
    compiled = path.with_suffix(".mo")
    return [
        (path.name, path.read_bytes() != text),
        (compiled.name, not compiled.exists() or compiled.read_bytes() != machine),
    ]


def _values(text: str) -> set[str]:
    return {name or number for name, number in PLACEHOLDER.findall(text)}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
