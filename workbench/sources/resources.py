"""Find the program's own data files: in a bundle, in an installed wheel, or in a checkout."""

from __future__ import annotations

import mmap
import sys
from collections.abc import Sequence
from pathlib import Path

from workbench.domain.errors import WorkbenchError

FOLDER = "resources"
PACKAGE = Path(__file__).resolve().parent.parent


class ResourceMissing(WorkbenchError):
    """A data file that belongs to the program is not there: the installation is incomplete."""


def resource_path(*parts: str) -> Path:
    """The path of a data file or folder that came with the program."""
    return find_resource(parts, resource_folders(PACKAGE, getattr(sys, "_MEIPASS", None)))


def mapped_resource(*parts: str) -> memoryview:
    """The bytes of a data file, read from the disk only where somebody looks at them."""
    with resource_path(*parts).open("rb") as file:
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def resource_folders(package: Path, bundle: str | None) -> tuple[Path, ...]:
    """Where data may lie, in order: a bundle's unpacked folder, inside the package, beside the package."""
    bundled = (Path(bundle) / FOLDER,) if bundle else ()
    return (*bundled, package / FOLDER, package.parent / FOLDER)


def find_resource(parts: Sequence[str], folders: Sequence[Path]) -> Path:
    """The file in the first folder that exists; folders never mix, so versions never do."""
    folder = next((each for each in folders if each.is_dir()), None)
    if folder is None:
        looked = ", ".join(str(each) for each in folders)
        raise ResourceMissing(
            f"The program's {FOLDER} folder is missing (looked at {looked}). Install it again."
        )
    path = folder.joinpath(*parts)
    if not path.exists():
        raise ResourceMissing(f"{'/'.join(parts)} is missing from {folder}. Install the program again.")
    return path
