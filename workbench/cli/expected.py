"""Expected figures of requests: stored in a file, compared in a pipeline, each difference reported in words."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from workbench.cli.terminal import read_named, tell, visible_line
from workbench.domain.errors import InvalidInput
from workbench.domain.reading.json_text import load_json
from workbench.domain.shown.comparison import ComparisonColumn
from workbench.domain.translation import counted, tr
from workbench.files.writing import write_named

EXPECTED_FORMAT = "workbench-expected/1"
EXPECTED = "expected"
"""The key under which a trajectory holds its expected figures."""
_MOST_LINES = 8
_LISTS = {"dropped": "dropped", "shortened": "shortened", "left_out": "left out"}
LAYER_NAMES = {
    "L1_SYSTEM": "System", "L2_PREVIOUS": "Library", "L4_STRIP": "History", "L3_TURN": "This turn",
    "L5_USER": "Your message",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Case:
    """One request to check: its name and its figures."""

    name: str
    facts: Mapping[str, Any]


def add_check_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds `--check`, `--update` and `--junit`, for commands whose figures can be checked."""
    parser.add_argument(
        "--check", metavar="EXPECTED", help="compare the figures with this file; exit code 1 if any differs"
    )
    parser.add_argument("--update", action="store_true", help="with --check: write the file instead")
    parser.add_argument("--junit", metavar="FILE", help="with --check: also write the result as JUnit XML")


def check_options(arguments: argparse.Namespace, *also: str) -> None:
    """Raises `InvalidInput` where `--update` or `--junit` lacks its file, or would overwrite one of those read."""
    junit_file = arguments.junit
    for option in ("check", "junit"):
        if getattr(arguments, option) == "":
            raise InvalidInput(f"--{option}", tr("names no file"))
    if arguments.check is None and (arguments.update or junit_file):
        raise InvalidInput("--update" if arguments.update else "--junit", tr("needs --check EXPECTED"))
    if junit_file and arguments.update:
        raise InvalidInput("--junit", tr("says how a check went, and --update checks nothing; leave one out"))
    if junit_file and os.path.realpath(junit_file) in map(os.path.realpath, (arguments.check, *also)):
        raise InvalidInput(
            "--junit",
            tr("{junit_file} is read, too; name another file, so that it stays", junit_file=junit_file),
        )


def turn_case(report: Mapping[str, Any]) -> Case:
    """Returns the figures of a turn's report that are checked: digests, tokens, what is dropped, what is cached."""
    prefix, cache = report["prefix"], report["cache"]
    facts = {
        "tokens": report["total_tokens"],
        "fits": report["fits"],
        "layers": {layer["name"]: layer["tokens"] for layer in report["layers"]},
        "prefix": prefix["combined_digest"],
        "segments": {
            f"{layer['name']}/{one['id']}": [one["tokens"], one["digest"]]
            for layer in report["layers"]
            for one in layer["segments"]
        },
        "dropped": [one["id"] for one in report["pruned"]],
        "shortened": [one["id"] for one in report["compacted"]],
        "trimmed": list(report["trim"]["trimmed_messages"]),
        "cached": None if cache is None else cache["predicted_read_tokens"],
    }
    return Case(f"turn {report['turn']}", facts)


def column_case(column: ComparisonColumn) -> Case:
    """Returns the figures of one column of a comparison that are checked."""
    facts = {
        "tokens": column.tokens,
        "fits": column.fits,
        "layers": dict(column.layers),
        "dropped": list(column.dropped),
        "shortened": list(column.shortened),
        "left_out": list(column.left_out),
        "cached": column.cached_tokens,
    }
    return Case(column.name, facts)


def check(
    cases: Sequence[Case],
    arguments: argparse.Namespace,
    what: str,
    unbuilt: Sequence[tuple[str, str]] = (),
) -> int:
    """Writes the expected figures, or compares with them; returns 1 where any differs.

    `unbuilt` lists requests that could not be built, and why.
    """
    if arguments.update:
        _update(arguments.check, cases)
        return 0
    expected = _read(arguments.check)
    found = {one.name: differences(expected.get(one.name), one) for one in cases}
    found |= {name: [tr("could not be built: {why}", why=why)] for name, why in unbuilt}
    named = set(found)
    found |= {name: [tr("expected, but not there any more")] for name in expected if name not in named}
    for name, lines in found.items():
        for line in lines:
            tell(tr("{name}: {line}", name=visible_line(name), line=visible_line(line)))
    failed = sum(map(bool, found.values()))
    passed = len(found) - failed
    tell(
        tr("{passed} of {n} as expected", passed=passed, n=len(found))
        + ("" if not failed else tr("; --update accepts the new figures"))
    )
    if arguments.junit:
        write_text(arguments.junit, junit(what, found))
    return 1 if failed else 0


def differences(expected: Mapping[str, Any] | None, case: Case) -> list[str]:
    """Lists in words how a case differs from what is expected; empty where nothing does."""
    if expected is None:
        return [tr("new: no figures are expected for it yet")]
    return list(_differences(expected, case.facts))


def _differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    if old.get("tokens") != new["tokens"]:
        yield f"{_change('tokens', old.get('tokens'), new['tokens'])}"
    if old.get("fits") != new["fits"]:
        yield "fits the window now" if new["fits"] else "no longer fits the window"
    before = _table(old.get("layers"))
    for layer, tokens in new["layers"].items():
        if before.get(layer) != tokens:
            yield _change(f"{LAYER_NAMES.get(layer, layer)} tokens", before.get(layer), tokens)
    yield from _segments(_table(old.get("segments")), new.get("segments"))
    for name, words in {**_LISTS, "trimmed": "trimmed"}.items():
        if name in new:
            yield from _membership_changes(words, old.get(name) or (), new[name])
    if old.get("cached") != new["cached"]:
        yield _change(tr("cached tokens"), old.get("cached"), new["cached"])
    if "prefix" in new and old.get("prefix") != new["prefix"]:
        yield "the cacheable start has other bytes"


def _segments(old: Mapping[str, Any], new: Mapping[str, Any] | None) -> Iterator[str]:
    """Yields which segments are new, gone or have other bytes, which explains the figures."""
    if new is None:
        return
    lines = [
        tr("{segment_name} is new, {new} tokens", segment_name=_segment_name(key), new=new[key][0])
        for key in new
        if key not in old
    ]
    lines += [
        tr("{segment_name} is gone, {old} tokens", segment_name=_segment_name(key), old=old[key][0])
        for key in old
        if key not in new
    ]
    lines += [
        tr(
            "{segment_name} changed, {old} → {new} tokens",
            segment_name=_segment_name(key),
            old=old[key][0],
            new=new[key][0],
        )
        for key in new
        if key in old and list(old[key]) != list(new[key])
    ]
    yield from lines[:_MOST_LINES]
    if len(lines) > _MOST_LINES:
        yield tr("{counted} differ", counted=counted(len(lines) - _MOST_LINES, "more segment"))


def _segment_name(key: str) -> str:
    layer, _, name = key.partition("/")
    return f"{LAYER_NAMES.get(layer, layer)}, {name}"


def _membership_changes(words: str, old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    yield from (f"{one} is {words} now" for one in new if one not in old)
    yield from (f"{one} is no longer {words}" for one in old if one not in new)


def _change(what: str, old: Any, new: Any) -> str:
    if isinstance(old, int) and isinstance(new, int):
        return f"{new:,} {what}, expected {old:,} ({new - old:+,})"
    return tr(
        "{what}: {words}, expected {words_2}",
        what=what,
        words="unknown" if new is None else new,
        words_2="unknown" if old is None else old,
    )


def _table(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def junit(what: str, found: Mapping[str, Sequence[str]]) -> str:
    """Returns the result as JUnit XML, with a test case for each request."""
    rows = []
    for name, lines in found.items():
        head = f"  <testcase classname={quoteattr(_plain(what))} name={quoteattr(_plain(name))}"
        if not lines:
            rows.append(f"{head}/>")
            continue
        body = escape(_plain("\n".join(lines)))
        rows.append(
            f"{head}>\n    <failure message={quoteattr(_plain(lines[0]))}>{body}</failure>\n  </testcase>"
        )
    failed = sum(map(bool, found.values()))
    head = f'<testsuite name={quoteattr(_plain(what))} tests="{len(found)}" failures="{failed}">'
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', head, *rows, "</testsuite>", ""])


def _plain(text: str) -> str:
    """Replaces characters that XML cannot hold."""
    return "\n".join(visible_line(line) for line in text.split("\n"))


def expected_document(cases: Sequence[Case]) -> dict[str, Any]:
    """Returns the figures of cases as the document that is stored."""
    return {"format": EXPECTED_FORMAT, "cases": [{"name": one.name, **one.facts} for one in cases]}


def _update(name: str, cases: Sequence[Case]) -> None:
    document = expected_document(cases)
    there = existing_content(name)
    if isinstance(there, dict) and (EXPECTED in there or "turns" in there):
        if any("segments" not in one.facts for one in cases):
            raise InvalidInput(name, tr("holds turns for replay, and stays as it is; name another file"))
        document = {**there, EXPECTED: document}  # a trajectory stays what it is
    elif there is not None and not (isinstance(there, dict) and there.get("format") == EXPECTED_FORMAT):
        raise InvalidInput(name, tr("holds something else than expected figures; it stays as it is"))
    write_text(name, json.dumps(document, ensure_ascii=False, indent=1) + "\n")
    tell(
        tr(
            "{name}: {counted} written",
            name=visible_line(name),
            counted=counted(len(cases), "expected case"),
        )
    )


def existing_content(name: str) -> object:
    """Returns the JSON of an existing file that is to be overwritten (its bytes if not JSON).

    None where it is empty or missing.
    """
    if not Path(name).is_file():
        return None  # a device would be waited for; that a folder is none, writing says
    raw = read_named(name)
    try:
        return load_json(raw) if raw.strip() else None
    except InvalidInput:
        return raw


def _read(name: str) -> dict[str, Mapping[str, Any]]:
    raw = read_named(name)
    try:
        document = load_json(raw)
    except InvalidInput as problem:
        raise InvalidInput(name, str(problem)) from None
    if isinstance(document, dict) and isinstance(document.get(EXPECTED), dict):
        document = document[EXPECTED]  # a case has its trajectory and its figures in one file
    cases = document.get("cases") if isinstance(document, dict) else None
    if (
        not isinstance(cases, list)
        or not isinstance(document, dict)
        or document.get("format") != EXPECTED_FORMAT
    ):
        raise InvalidInput(
            name,
            tr(
                "no expected figures ({expected_format}); --update writes them",
                expected_format=EXPECTED_FORMAT,
            ),
        )
    named = [one for one in cases if isinstance(one, dict) and isinstance(one.get("name"), str)]
    odd = next((one["name"] for one in named if not _is_well_formed(one)), None)
    if odd is not None:
        raise InvalidInput(
            name, tr("the figures of {odd!r} have another form; --update writes them again", odd=odd)
        )
    return {one["name"]: one for one in named}


def _is_well_formed(case: Mapping[str, Any]) -> bool:
    """Tells whether figures from a file have the right types, whatever their values."""
    lists = (case.get(key) or [] for key in (*_LISTS, "trimmed"))
    pairs = _table(case.get("segments")).values()
    return all(isinstance(one, list) for one in lists) and all(
        isinstance(one, list) and len(one) == 2 and isinstance(one[0], int) for one in pairs
    )


def write_text(name: str, text: str) -> None:
    """Writes a file; if that fails, its old content stays."""
    try:
        write_named(Path(name), text.encode())
    except OSError as problem:
        raise InvalidInput(name, problem.strerror or type(problem).__name__) from None
