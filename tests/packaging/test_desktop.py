"""What a desktop shows of the program: its files agree with one another and with the program."""

from __future__ import annotations

import configparser
import struct
from xml.etree import ElementTree

import workbench
from tests.architecture.source_tree import ROOT
from workbench.cli.replay.trajectory import TRAJECTORY_FORMAT
from workbench.engine.exchange import json_format, workspace_format
from workbench.ui.dialogs.transfer import OWN_ENDING

FOLDER = ROOT / "resources" / "desktop"
MIME = "{http://www.freedesktop.org/standards/shared-mime-info}"


def entry() -> configparser.SectionProxy:
    read = configparser.RawConfigParser(interpolation=None)
    read.optionxform = str  # type: ignore[assignment,method-assign]
    read.read(FOLDER / "applications" / "context-workbench.desktop", encoding="utf-8")
    return read["Desktop Entry"]


def kinds() -> dict[str, ElementTree.Element]:
    tree = ElementTree.parse(FOLDER / "mime" / "packages" / "context-workbench.xml")
    return {one.attrib["type"]: one for one in tree.getroot().iter(f"{MIME}mime-type")}


def metainfo() -> ElementTree.Element:
    return ElementTree.parse(FOLDER / "metainfo" / "context-workbench.metainfo.xml").getroot()


def test_menu_file_kinds_and_software_centre_name_the_same_kinds() -> None:
    told = [one.text for one in metainfo().iter("mediatype")]
    assert entry()["MimeType"].rstrip(";").split(";") == list(kinds()) == told


def test_every_kind_is_known_by_the_first_bytes_that_the_program_writes() -> None:
    formats = (json_format.FORMAT, workspace_format.FORMAT, TRAJECTORY_FORMAT)
    signs = [one.attrib["value"] for kind in kinds().values() for one in kind.iter(f"{MIME}match")]
    assert signs == [f'"{name.rpartition("/")[0]}/' for name in formats]
    ends = [one.attrib["pattern"] for kind in kinds().values() for one in kind.iter(f"{MIME}glob")]
    # The same for all, so that the bytes decide between them; longer than *.json, which every editor has.
    assert ends == [f"*.{OWN_ENDING}"] * len(formats)


def test_the_newest_release_is_this_version() -> None:
    assert next(metainfo().iter("release")).attrib["version"] == workbench.__version__
    assert metainfo().findtext("launchable") == "context-workbench.desktop"


def test_the_menu_starts_the_program_with_files() -> None:
    assert entry()["Exec"] == "workbench %F"


def test_every_icon_has_the_size_of_its_folder() -> None:
    drawn = sorted(FOLDER.glob("icons/hicolor/*x*/apps/context-workbench.png"))
    assert len(drawn) == 7
    for path in drawn:
        wide, high = struct.unpack(">II", path.read_bytes()[16:24])
        assert path.parts[-3] == f"{wide}x{high}"
    assert (FOLDER / "icons/hicolor/scalable/apps/context-workbench.svg").exists()
