"""The copyright file of a Debian package: every part that is inside, in the form that machines read (DEP-5)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any, NamedTuple

from kinds.parts import normalised

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
    r"GNU (LESSER |AFFERO )?GENERAL PUBLIC LICENSE\s+Version|Mozilla Public License,?\s+version 2\.0",
    re.IGNORECASE,
)
# It stands in the middle of other texts, too: in a list of everything that a library is made of.
_APACHE = re.compile(
    r"Apache License\s+Version 2\.0.*?(END OF TERMS AND CONDITIONS|limitations under the License\.|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_NAMED = re.compile(r"LICEN[CS]E|COPYING|NOTICE", re.IGNORECASE)
_HOLDER = re.compile(r"^\s*(?:Copyright|\(c\)|©).*\d{4}.*$", re.IGNORECASE | re.MULTILINE)
_TEXTS = ("", ".txt", ".md", ".rst", ".apache", ".bsd", ".mit")
_LONGEST_TEXT = 40_000


class Part(NamedTuple):
    """One library inside the package: its files from the package's root, who holds the rights, and the licence."""

    name: str
    files: tuple[str, ...]
    holders: tuple[str, ...]
    licence: str
    text: str
    comment: str = ""


class Listed(NamedTuple):
    """A line of the list of parts: the part, its licence, and what it is inside of."""

    name: str
    licence: str
    within: str


def listed_in(sbom: str) -> list[Listed]:
    """What the list of parts says."""
    return [
        Listed(
            one["name"],
            one["licenses"][0]["expression"],
            next((each["value"] for each in one.get("properties", ()) if each["name"] == "within"), ""),
        )
        for one in json.loads(sbom)["components"]
    ]


def parts_in(site: Path, place: str, listed: Iterable[Listed]) -> list[Part]:
    """The parts that are installed in a folder, which is `place` in the package; ours is not one of them."""
    told = list(listed)
    found = sorted(distributions(path=[str(site)]), key=lambda one: normalised(one.name))
    libraries = [_part(one, place, told) for one in found if normalised(one.name) != "context-workbench"]
    return [*libraries, *(_data(one, site, place) for one in told if one.within.startswith("resources"))]


def _data(one: Listed, site: Path, place: str) -> Part:
    """Fonts and the like, which lie among the program's own files."""
    folder = site / "workbench" / one.within
    texts = [path.read_text(encoding="utf-8") for path in folder.glob("OFL.txt")]
    mask = f"{place}/workbench/{one.within}{'/*' if folder.is_dir() else ''}"
    return Part(
        one.name, (mask,), (f"the authors of {one.name}",), one.licence, "".join(texts), "a text beside it says more"
    )  # fmt: skip


def _part(found: Distribution, place: str, told: Sequence[Listed]) -> Part:
    about: Any = found.metadata
    name, files = normalised(found.name), [str(file) for file in found.files or ()]
    licences = {normalised(one.name): one.licence for one in told if not one.within}
    inside = [f"{one.name} ({one.licence})" for one in told if one.within == name]
    texts = [_read(found, file) for file in files if _NAMED.search(file.rpartition("/")[2])]
    holders = tuple(dict.fromkeys(line.strip() for text in texts for line in _HOLDER.findall(text)))
    author = str(about.get("Author") or about.get("Author-email") or found.name)
    return Part(
        found.name,
        tuple(f"{place}/{top}" for top in sorted(set(_tops(files)))),
        holders[:20] or (author,),
        licences.get(name) or str(about.get("License-Expression") or "other"),
        "\n\n".join(filter(None, map(_without_common, texts)))[:_LONGEST_TEXT],
        f"inside: {', '.join(inside)}" if inside else "",
    )


def _without_common(text: str) -> str:
    """The text without what every Debian has."""
    if _FULL_TEXTS.search(text[:3000]):
        return ""
    return _APACHE.sub("(the Apache License 2.0)", text) if not _APACHE.match(text.lstrip()) else ""


def _tops(files: Iterable[str]) -> Iterator[str]:
    """Folders and single files that belong to a part; the model lies in a folder of the program."""
    for name in files:
        top, _, below = name.partition("/")
        if top == "workbench":
            yield name
        elif top != "..":
            yield f"{top}/*" if below else top


def _read(found: Distribution, name: str) -> str:
    path = Path(str(found.locate_file(name)))
    is_text = path.is_file() and path.suffix.lower() in _TEXTS
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
    licence = part.licence.replace(" OR ", " or ").replace(" AND ", " and ")
    common = [COMMON[name] for name in re.split(r" (?:or|and) ", licence) if name in COMMON]
    told = [f"The full text of {name} is in /usr/share/common-licenses/{name}." for name in common]
    text = "\n\n".join(filter(None, ["\n".join(told), part.text])) or "See the files named above."
    return [
        f"Files: {_list(part.files)}",
        f"Copyright: {_list(' '.join(one.split()) for one in part.holders)}",
        f"License: {licence}",
        *indented(text),
        f"Comment: {'; '.join(filter(None, (part.name, part.comment)))}",
    ]


def _list(lines: Iterable[str]) -> str:
    return "\n ".join(lines)


def indented(text: str) -> Iterator[str]:
    """Lines of a text as the value of a field: each begins with a space, and an empty one is a dot."""
    for line in text.replace("\f", "\n").replace("\t", "    ").splitlines():
        yield f" {line.rstrip()}" if line.strip() else " ."
