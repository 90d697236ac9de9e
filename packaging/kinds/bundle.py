"""A folder that needs no Python, made by PyInstaller and packed as tar.gz; the recipe is in packaging/bundle."""

from __future__ import annotations

import gzip
import platform
import shutil
import sys
import sysconfig
import tarfile
import tempfile
from pathlib import Path

from failure import Failure, say
from kinds import chroot
from kinds.deb import version_of
from kinds.source import Source, committed
from kinds.stage import staged, strip
from package_tools import PINS, run_program

NAME = "context-workbench"
# A bundle draws with what the system has for that: its own could not talk to the machine's driver.
DRAWS = ("libegl1", "libgl1", "libfontconfig1", "libdbus-1-3", "libglib2.0-0", "libxkbcommon-x11-0")
# It would bring all of GTK along, and not the files that GTK itself looks for on the system.
GTK = "PySide6/Qt/plugins/platformthemes/libqgtk3.so"
MOST_MB = 350


def build(out: Path) -> list[Path]:
    """The packed folder for this system and processor."""
    if sys.platform.startswith("linux") and not sysconfig.get_config_var("Py_ENABLE_SHARED"):
        raise Failure(
            "This Python has no shared library, which a bundle needs; use another, such as Debian's."
        )
    with committed() as source, tempfile.TemporaryDirectory(prefix="workbench-bundle-") as folder:
        made = freeze(source, Path(folder))
        name = f"{NAME}-{version_of(source.tree)}"
        whole, model = size_mb(made), size_mb(made, "*.gguf")
        say(f"The folder has {whole:.0f} MB, {whole - model:.0f} without the model.")
        if whole - model > MOST_MB:
            raise Failure(f"The bundle is larger than {MOST_MB} MB without its model: something came in.")
        path = out / f"{name}-{sys.platform}-{platform.machine().lower()}.tar.gz"
        say("Packing …")
        pack(made, name, path, source.epoch)
    return [path]


def freeze(source: Source, folder: Path) -> Path:
    """The folder that PyInstaller makes of the program in an environment of its own."""
    stage = staged(source, folder, ("-c", str(PINS), "pyinstaller"))
    for path in stage.site.glob(GTK):
        path.unlink()
    say("Collecting what the program loads …")
    recipe = source.tree / "packaging" / "bundle" / "workbench.spec"
    options = ["--noconfirm", "--distpath", str(folder / "dist"), "--workpath", str(folder / "work")]
    # Not in the source tree: what is collected is what was installed.
    run_program([stage.python, "-m", "PyInstaller", *options, str(recipe)], folder, source.environment)
    made = folder / "dist" / NAME
    if sys.platform.startswith("linux"):
        strip(made / "_internal")
    require_resources(source.tree / "resources", made)
    return made


def require_resources(resources: Path, made: Path) -> None:
    """A Failure that names what of the program's own data is not in the folder."""
    inside = {path.relative_to(made).as_posix() for path in made.rglob("*")}
    wanted = (path.relative_to(resources).as_posix() for path in sorted(resources.rglob("*")))
    missing = [
        name for name in wanted if not any(one.endswith(f"workbench/resources/{name}") for one in inside)
    ]
    if missing:
        raise Failure(f"Not in the bundle: {', '.join(missing[:10])}")


def size_mb(folder: Path, pattern: str = "*") -> float:
    """How much the files of that name have together, in millions of bytes."""
    files = (path for path in folder.rglob(pattern) if path.is_file() and not path.is_symlink())
    return sum(path.stat().st_size for path in files) / 1e6


def pack(folder: Path, name: str, path: Path, epoch: int) -> None:
    """Pack the folder under this name: in one order, with one time and one owner, so that two builds are equal."""
    with path.open("wb") as raw, gzip.GzipFile("", "wb", 6, raw, epoch) as packed, tarfile.open(
        fileobj=packed, mode="w", format=tarfile.GNU_FORMAT
    ) as tar:  # fmt: skip
        for one in (folder, *sorted(folder.rglob("*"))):
            entry = tar.gettarinfo(one, str(Path(name) / one.relative_to(folder)))
            entry.mtime, entry.uid, entry.gid, entry.uname, entry.gname = epoch, 0, 0, "", ""
            entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
            if entry.isreg():
                with one.open("rb") as content:
                    tar.addfile(entry, content)
            else:
                tar.addfile(entry)


def require_for_trial() -> None:
    """What a fresh Debian needs."""
    chroot.require()


def try_it(files: list[Path]) -> None:
    """Unpack it in a fresh Debian that has no Python, try it there, and remove it."""
    (package,) = files
    with chroot.fresh_debian(DRAWS) as system:
        if system.has("python3"):
            raise Failure("The fresh Debian has a Python; the trial would prove nothing.")
        before = system.files()
        with tarfile.open(package) as tar:
            tar.extractall(system.root / "opt", filter="data")
        (place,) = (system.root / "opt").iterdir()
        system.try_program(f"/opt/{place.name}/workbench", package.parent / "window-bundle.png")
        shutil.rmtree(place)
        system.require_same(before)
