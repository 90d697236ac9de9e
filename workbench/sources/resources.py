"""Finds the program's own data files: in a bundle, in an installed wheel, or in a checkout."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.domain.errors import WorkbenchError
from workbench.domain.translation import tr

# Loaded by who reads them: the first paint and a list of chats need where things lie, and no more.
if TYPE_CHECKING:
    from workbench.domain.files.attachment import Artifact
    from workbench.domain.guide import GuideText
    from workbench.domain.sample_chat import SampleChat

FOLDER = "resources"
PACKAGE = Path(__file__).resolve().parent.parent


class ResourceMissing(WorkbenchError):
    """A data file that belongs to the program is not there: the installation is incomplete."""


def resource_path(*parts: str) -> Path:
    """Returns the path of a data file or folder that comes with the program."""
    return find_resource(parts, resource_folders(PACKAGE, getattr(sys, "_MEIPASS", None)))


def mapped_resource(*parts: str) -> memoryview:
    """Maps a data file into memory, so that it is read only where it is accessed."""
    import mmap

    with resource_path(*parts).open("rb") as file:
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def resource_folders(package: Path, bundle: str | None) -> tuple[Path, ...]:
    """Lists where data may be, in order: a bundle's unpacked folder, inside the package, beside it."""
    bundled = (Path(bundle) / FOLDER,) if bundle else ()
    return (*bundled, package / FOLDER, package.parent / FOLDER)


def find_resource(parts: Sequence[str], folders: Sequence[Path]) -> Path:
    """Returns a file in the first folder that exists; data of different folders, and so versions, never mix."""
    folder = next((each for each in folders if each.is_dir()), None)
    if folder is None:
        looked = ", ".join(str(each) for each in folders)
        raise ResourceMissing(
            tr(
                "The program's {folder} folder is missing (looked at {looked}). Install it again.",
                folder=FOLDER,
                looked=looked,
            )
        )
    path = folder.joinpath(*parts)
    if not path.exists():
        raise ResourceMissing(
            tr(
                "{parts} is missing from {folder}. Install the program again.",
                parts="/".join(parts),
                folder=folder,
            )
        )
    return path


# Reads the guide, which comes with the program: pages of Markdown, and their pictures.


GUIDE_FOLDER = "guide"


def shipped_guide() -> tuple[GuideText, ...]:
    """Returns all pages of the guide in the language that is shown, in the order of its list."""
    from workbench.domain.guide import guide_pages
    from workbench.files.language import shown_language

    english = resource_path(GUIDE_FOLDER)
    pages = [*english.glob("*.md"), *(english / shown_language()).glob("*.md")]
    return guide_pages({path.stem: path.read_text(encoding="utf-8") for path in pages})


def guide_picture(name: str) -> bytes:
    """Returns the bytes of a guide's picture in the language that is shown, by the name a page gives it."""
    from workbench.files.language import shown_language

    english = resource_path(GUIDE_FOLDER)
    own = english / shown_language() / name
    return (own if own.is_file() else english / name).read_bytes()


# The texts that come with the program: the persona, and what is said to models with tools.


@dataclass(frozen=True, slots=True)
class ShippedPrompts:
    """The prompt texts that come with the program; the last two are only for chats with tools."""

    persona: str
    explore_first: str
    tool_guidelines: str


def shipped_prompts() -> ShippedPrompts:
    """Reads the prompt texts from the program's data."""
    return ShippedPrompts(_shipped("persona"), _shipped("explore_first"), _shipped("tool_guidelines"))


def _shipped(name: str) -> str:
    return resource_path("prompts", f"{name}.md").read_text(encoding="utf-8").strip()


# The sample chat that comes with the program: its turns in a file, and the files it is about.


def load_sample(folder: Path, language: str = "") -> SampleChat:
    """Reads the sample chat from a folder, in a language or in the one that is shown, where it was written in that."""
    import tomllib

    from workbench.domain.sample_chat import SampleChat, SampleTurn
    from workbench.files.language import shown_language

    own = folder / f"story.{language or shown_language()}.toml"
    told = tomllib.loads((own if own.exists() else folder / "story.toml").read_text(encoding="utf-8"))
    turns = tuple(
        SampleTurn(turn["question"].strip(), turn["answer"].strip(), _files(folder, turn["attach"]))
        for turn in told["turns"]
    )
    attached = _files(folder, told["draft_attach"])
    return SampleChat(told["title"], turns, told["draft"], attached, told.get("budget_tokens"))


def _files(folder: Path, names: list[str]) -> tuple[Artifact, ...]:
    from workbench.domain.files.attachment import Artifact

    return tuple(Artifact(name, "file", (folder / name).read_text(encoding="utf-8")) for name in names)
