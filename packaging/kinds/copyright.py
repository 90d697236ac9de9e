"""The copyright file of a Debian package: every part that is inside, in the form that machines read (DEP-5)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import NamedTuple

FORM = "https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/"
# Licences whose texts every Debian has; they are named there, not repeated.
COMMON = {
    "Apache-2.0": "Apache-2.0",
    "GPL-2.0-only": "GPL-2",
    "GPL-3.0-only": "GPL-3",
    "LGPL-3.0-only": "LGPL-3",
    "MPL-2.0": "MPL-2.0",
}
_FULL_TEXTS = re.compile(
    r"Apache License\s+Version 2\.0|GNU (LESSER |AFFERO )?GENERAL PUBLIC LICENSE\s+Version|Mozilla Public License,? "
    r"[Vv]ersion 2\.0",
    re.IGNORECASE,
)
_NAMED = re.compile(r"LICEN[CS]E|COPYING|NOTICE", re.IGNORECASE)
_HOLDER = re.compile(r"^\s*(?:Copyright|\(c\)|©).*\d{4}.*$", re.IGNORECASE | re.MULTILINE)
_LONGEST_TEXT = 40_000


class Part(NamedTuple):
    """One library inside the package: its files from the package's root, who holds the rights, and the licence."""

    name: str
    files: tuple[str, ...]
    holders: tuple[str, ...]
    licence: str
    text: str


def parts_in(site: Path, place: str, licences: Mapping[str, str]) -> list[Part]:
    """The parts that are installed in a folder, which is `place` in the package; ours is not one of them."""
    found = sorted(distributions(path=[str(site)]), key=lambda one: normal(one.name))
    return [_part(one, place, licences) for one in found if normal(one.name) != "context-workbench"]


def licences_of(sbom: Path) -> dict[str, str]:
    """What the list of parts says about licences, by name; nothing where there is no list."""
    if not sbom.exists():
        return {}
    found: dict[str, str] = {}
    for one in json.loads(sbom.read_text(encoding="utf-8")).get("components", ()):
        said = [
            given.get("expression") or given["license"].get("id", "") for given in one.get("licenses", ())
        ]
        found[normal(one["name"])] = " AND ".join(filter(None, said))
    return found


def normal(name: str) -> str:
    """A package's name in the one form that compares."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _part(found: Distribution, place: str, licences: Mapping[str, str]) -> Part:
    listed = [str(file) for file in found.files or ()]
    tops = {name.split("/")[0] for name in listed if not name.startswith("..")}
    texts = [_read(found, name) for name in listed if _NAMED.search(name.rpartition("/")[2])]
    licence = licences.get(normal(found.name)) or str(found.metadata.get("License-Expression") or "other")
    holders = tuple(dict.fromkeys(line.strip() for text in texts for line in _HOLDER.findall(text)))
    author = str(found.metadata.get("Author") or found.metadata.get("Author-email") or found.name)
    return Part(
        found.name,
        tuple(f"{place}/{top}{'' if '.' in top and not top.endswith('.dist-info') else '/*'}" for top in sorted(tops)),
        holders[:20] or (author,),
        licence,
        "\n\n".join(text for text in texts if text and not _FULL_TEXTS.search(text[:3000]))[:_LONGEST_TEXT],
    )  # fmt: skip


def _read(found: Distribution, name: str) -> str:
    path = Path(str(found.locate_file(name)))
    is_text = path.is_file() and path.suffix.lower() in ("", ".txt", ".md", ".rst", ".apache", ".bsd", ".mit")
    return path.read_text(encoding="utf-8", errors="replace") if is_text else ""


def copyright_file(own_licence: str, parts: Iterable[Part]) -> str:
    """The whole file; the program's own licence is given as its text."""
    own = own_licence.strip()
    holder = next(line for line in own.splitlines() if line.startswith("Copyright"))
    head = [
        f"Format: {FORM}",
        "Upstream-Name: Context Workbench",
        "Comment: The libraries that the program needs are inside this package; each has a paragraph below.",
    ]
    ours = ["Files: *", f"Copyright: {holder.removeprefix('Copyright ')}", "License: MIT", *indented(own)]
    return "\n\n".join("\n".join(one) for one in (head, ours, *map(_paragraph, parts))) + "\n"


def _paragraph(part: Part) -> list[str]:
    licence = part.licence.replace(" OR ", " or ").replace(" AND ", " and ").replace("(", "").replace(")", "")
    common = [COMMON[name] for name in re.split(r" (?:or|and) ", licence) if name in COMMON]
    told = [f"The full text of {name} is in /usr/share/common-licenses/{name}." for name in common]
    text = "\n\n".join(filter(None, ["\n".join(told), part.text])) or "See the files named above."
    return [
        f"Files: {_list(part.files)}",
        f"Copyright: {_list(_clean(one) for one in part.holders)}",
        f"License: {licence}",
        *indented(text),
        f"Comment: {part.name}",
    ]


def _list(lines: Iterable[str]) -> str:
    return "\n ".join(lines)


def _clean(holder: str) -> str:
    return " ".join(holder.split())


def indented(text: str) -> Iterator[str]:
    """Lines of a text as the value of a field: each begins with a space, and an empty one is a dot."""
    for line in text.replace("\f", "\n").replace("\t", "    ").splitlines():
        yield f" {line.rstrip()}" if line.strip() else " ."
