"""Everything that the program is made of: a CycloneDX SBOM, which comes with it, and the texts of the licences.

The list is that of the pins, for every processor and system: what is installed here is asked for its licence, what is
not (`elsewhere`) and what is inside others (`inside`) is written in parts.toml.
"""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

from failure import Failure, say
from package_tools import run_tool

ROOT = Path(__file__).resolve().parent.parent.parent
SBOM = ROOT / "resources" / "parts.cdx.json"
HASHES = ROOT / "packaging" / "hashes.txt"
TABLES = ROOT / "packaging" / "parts.toml"
EXTRAS = ("anthropic", "mcp")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
EXTRA = re.compile(r"""extra\s*==\s*["']([^"']+)["']""")
# Whoever passes one of these on has to pass everything on under it.
COPYLEFT = re.compile(r"(A?GPL-|AGPL|GPL)", re.IGNORECASE)


class Part(NamedTuple):
    """One part, as it stands in the list."""

    name: str
    version: str
    licence: str
    within: str = ""
    optional: bool = False


def build(out: Path) -> list[Path]:
    """Make the SBOM in the checkout anew, check it against CycloneDX's own schema, and put it and the licences here."""
    parts = all_parts(site_packages())
    if forbidden := copyleft(parts):
        raise Failure(f"Parts under the (A)GPL: {', '.join(part.name for part in forbidden)}.")
    SBOM.write_text(sbom(parts), encoding="utf-8")
    run_tool("python", "-c", VALIDATE, str(SBOM))
    copied = out / SBOM.name
    shutil.copyfile(SBOM, copied)
    licences = out / "licences.txt"
    licences.write_text(licence_texts(parts, site_packages()), encoding="utf-8")
    say(f"{len(parts)} parts, none of them under the (A)GPL; the SBOM follows CycloneDX 1.6")
    return [copied, licences]


def require_for_trial() -> None:
    """Nothing but what is here anyway."""


def try_it(files: list[Path]) -> None:
    """Nothing to install: the list was checked when it was made."""


VALIDATE = """
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
problem = JsonStrictValidator(SchemaVersion.V1_6).validate_str(open(sys.argv[1], encoding="utf-8").read())
sys.exit(str(problem) if problem else 0)
"""


def site_packages() -> Path:
    """Where the checkout's .venv keeps what it installed."""
    found = next(iter((ROOT / ".venv").glob("lib/python3*/site-packages")), None)
    if found is None:
        raise Failure("The parts are read from .venv. Run `python3 packaging/dev.py setup` first.")
    return found


def all_parts(folder: Path) -> tuple[Part, ...]:
    """Every part, by name; one that was expected and is not installed is a Failure."""
    tables = tomllib.loads(TABLES.read_text(encoding="utf-8"))
    installed = {
        normalised(each.metadata["Name"]): each for each in metadata.distributions(path=[str(folder)])
    }
    needed, optional = wanted(installed)
    parts = [
        Part(name, version_of(installed[name]), licence_of(installed[name], tables), "", name in optional)
        for name in needed | optional
    ]
    pins = pinned()
    for name, of in tables["elsewhere"].items():
        parts.append(Part(name, pins[name], tables["licences"][name], "", of in optional))
    parts += [Part(**entry) for entry in tables["inside"]]
    return tuple(sorted(parts, key=lambda part: (part.within != "", part.name.casefold())))


def wanted(installed: dict[str, metadata.Distribution]) -> tuple[set[str], set[str]]:
    """What the program needs, and what only its extras need; all that either brings is among them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = closure(project["dependencies"], installed)
    extras = [line for extra in EXTRAS for line in project["optional-dependencies"][extra]]
    return needed, closure(extras, installed) - needed


def closure(requirements: list[str], installed: dict[str, metadata.Distribution]) -> set[str]:
    """The names of these and of everything they need, as far as it is pinned; markers of systems are not looked at."""
    pins, elsewhere = pinned(), tomllib.loads(TABLES.read_text(encoding="utf-8"))["elsewhere"]
    found: set[tuple[str, str]] = set()
    waiting = [pair for line in requirements for pair in asked(line)]
    while waiting:
        pair = waiting.pop()
        name, extra = pair
        if pair in found or name not in pins or name in elsewhere:
            continue
        if name not in installed:
            raise Failure(f"{name} is pinned and not in .venv. Run `python3 packaging/dev.py setup` first.")
        found.add(pair)
        for line in installed[name].requires or ():
            needs_extra = EXTRA.search(line.partition(";")[2])
            if (needs_extra[1] if needs_extra else "") in ("", extra):
                waiting += asked(line)
    return {name for name, _ in found}


def asked(requirement: str) -> list[tuple[str, str]]:
    """A requirement's package, once without and once with each extra that it names."""
    bare = requirement.partition(";")[0]
    name = NAME.match(bare.strip())
    if name is None:
        return []
    extras = re.search(r"\[([^\]]*)\]", bare)
    named = [each.strip() for each in extras[1].split(",")] if extras else []
    return [(normalised(name[0]), extra) for extra in ("", *named)]


def normalised(name: str) -> str:
    """A package's name as the pins write it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def pin_lines() -> list[str]:
    """The lines of the pins."""
    return (ROOT / "packaging" / "constraints.txt").read_text(encoding="utf-8").splitlines()


def pinned() -> dict[str, str]:
    """The pinned version of everything."""
    pairs = (line.partition(";")[0].strip().partition("==") for line in pin_lines() if "==" in line)
    return {name: version for name, _, version in pairs}


def version_of(installed: metadata.Distribution) -> str:
    """The version that is installed."""
    return str(installed.metadata["Version"])


def licence_of(installed: metadata.Distribution, tables: dict[str, Any]) -> str:
    """A package's licence as an SPDX expression; a Failure where it says none that is known."""
    about: Any = installed.metadata
    name = normalised(about["Name"])
    classifiers = [
        line.rpartition(" :: ")[2] for line in about.get_all("Classifier") or () if "License ::" in line
    ]
    said = (about.get("License-Expression"), about.get("License"), *classifiers)
    given: Iterator[str] = (tables["names"].get(text.strip(), text.strip()) for text in said if text)
    found = tables["licences"].get(name) or next(given, "")
    if not re.fullmatch(r"[A-Za-z0-9.+-]+( (AND|OR|WITH) [A-Za-z0-9.+-]+)*", found):
        raise Failure(
            f"{name} says its licence as {found!r}. Write an SPDX expression for it into parts.toml."
        )
    return found


def copyleft(parts: tuple[Part, ...]) -> list[Part]:
    """The parts that can be had under the (A)GPL only; of alternatives, one that is not is enough."""
    return [part for part in parts if all(COPYLEFT.match(choice) for choice in choices(part.licence))]


def choices(licence: str) -> list[str]:
    """What an expression lets one choose between: the strictest licence of each alternative."""
    return [
        next((each for each in choice.split(" AND ") if COPYLEFT.match(each.strip())), choice).strip()
        for choice in licence.split(" OR ")
    ]


def sbom(parts: tuple[Part, ...]) -> str:
    """The list as CycloneDX 1.6; without a time or a serial number, so that the same parts give the same bytes."""
    document = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "bom-ref": "context-workbench",
                "type": "application",
                "name": "context-workbench",
                "licenses": [{"license": {"id": "MIT"}}],
            }
        },
        "components": [component(part) for part in parts],
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def component(part: Part) -> dict[str, Any]:
    """One part as CycloneDX writes it."""
    identity = f"pkg:pypi/{part.name}@{part.version}"
    kind = "data" if part.within.startswith(("resources", "the built-in")) else "library"
    made: dict[str, Any] = {
        "bom-ref": f"{part.within}#{part.name}" if part.within else identity,
        "type": kind,
        "name": part.name,
        "version": part.version,
        "scope": "optional" if part.optional else "required",
        "licenses": [{"expression": part.licence}],
    }
    return (
        {**made, "properties": [{"name": "within", "value": part.within}]}
        if part.within
        else {**made, "purl": identity}
    )


def licence_texts(parts: tuple[Part, ...], folder: Path) -> str:
    """A table of all parts, then every licence text that a package brings."""
    lines = ["Parts of Context Workbench and their licences", ""]
    lines += [
        f"{part.name} {part.version}".rstrip()
        + f": {part.licence}"
        + (f" (in {part.within})" if part.within else "")
        for part in parts
    ]
    names = {part.name for part in parts}
    for each in sorted(
        metadata.distributions(path=[str(folder)]), key=lambda one: normalised(one.metadata["Name"])
    ):
        if normalised(each.metadata["Name"]) in names:
            for file in each.files or ():
                if re.search(r"licen[cs]e|copying|notice", file.name, re.IGNORECASE) and ".dist-info" in str(
                    file
                ):
                    text = Path(str(file.locate())).read_text(encoding="utf-8", errors="replace")
                    lines += [
                        "",
                        "=" * 100,
                        f"{each.metadata['Name']}: {file.name}",
                        "=" * 100,
                        text.rstrip(),
                    ]
    # Qt for Python brings no text of its own licence, and that one is read together with the GPL.
    for path in (
        ROOT / "resources" / "fonts" / "OFL.txt",
        *sorted((ROOT / "packaging" / "licences").iterdir()),
    ):
        lines += ["", "=" * 100, path.name, "=" * 100, path.read_text(encoding="utf-8").rstrip()]
    return "\n".join(lines) + "\n"


def pinned_parts() -> str:
    """The Python packages in the list, extras among them, as pip installs them: with the digests of their wheels."""
    document = json.loads(SBOM.read_text(encoding="utf-8"))
    names = {part["name"] for part in document["components"] if "purl" in part}
    blocks = HASHES.read_text(encoding="utf-8").replace("\\\n", "\0").splitlines()
    chosen = (block for block in blocks if block.partition("==")[0] in names)
    return "".join(f"{block}\n" for block in chosen).replace("\0", "\\\n")


def leave_out(folder: Path) -> list[Path]:
    """Delete the files of installed packages that a package of ours must not pass on; which they were."""
    tables = tomllib.loads(TABLES.read_text(encoding="utf-8"))
    gone = [
        path
        for name, masks in tables["left_out"].items()
        for mask in masks
        for path in (folder / name).glob(mask)
    ]
    for path in gone:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    return gone
