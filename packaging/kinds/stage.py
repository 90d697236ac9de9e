"""The program with everything it needs in one folder, for packages that bring it all along.

It is installed by pip into an environment of its own, of wheels whose digests are pinned; then everything leaves that
only developers or other programs need. What is left out is listed here, not what stays: a new library is complete.
"""

from __future__ import annotations

import csv
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from failure import Failure, say
from kinds.elf import is_elf, needed
from kinds.model import build_model
from kinds.parts import leave_out, pinned_parts
from kinds.source import Source
from kinds.wheel import build_program
from package_tools import make_venv, pip_install, program, run_program

# What made the environment, and is not of the program.
MAKERS = ("pip", "setuptools", "wheel")
# Of Qt: tools of developers, declarations, and whatever is written in QML.
QT_LEFT_OUT = (
    *("Qt/libexec", "Qt/metatypes", "Qt/qml", "Qt/resources"),
    *("QtAsyncio", "doc", "glue", "include", "scripts", "support/deprecated", "typesystems"),
    *("assistant", "balsam", "designer", "linguist", "lrelease", "lupdate", "qmlformat", "qmllint", "qmlls"),
    *("qsb", "rcc", "svgtoqml", "uic", "balsamui", "qmlcachegen", "qmlimportscanner", "qmltyperegistrar"),
)
# Of its own dialogs, in the languages of the program.
QT_WORDS = ("qtbase_de", "qtbase_zh_CN")
# Plugins of Qt that the program can come to need on a Linux desktop, by folder and name. Not the one for WebP:
# it is linked with what Debian 12 no longer has.
QT_PLUGINS = (
    *("iconengines/libqsvgicon", "imageformats/libqgif", "imageformats/libqico", "imageformats/libqjpeg"),
    "imageformats/libqsvg",
    *("platforms/libqxcb", "platforms/libqwayland-egl", "platforms/libqwayland-generic", "platforms/libqoffscreen"),
    *("platforminputcontexts/libcompose", "platforminputcontexts/libibus"),
    *("platformthemes/libqgtk3", "platformthemes/libqxdgdesktopportal", "printsupport/libcups"),
    *("wayland-decoration-client/", "wayland-graphics-integration-client/libqt-plugin"),
    *("wayland-shell-integration/libxdg-shell", "xcbglintegrations/"),
)  # fmt: skip
_QT_MODULE = re.compile(r"\bPySide6\.(Qt\w+)|from PySide6 import (Qt\w+)")


class Stage(NamedTuple):
    """What was put together: an environment, and the folder of its packages."""

    venv: Path
    site: Path

    @property
    def python(self) -> str:
        """The environment's Python."""
        return str(program(self.venv, "python"))


def staged(source: Source, folder: Path, tools: Sequence[str] = ()) -> Stage:
    """The program, its libraries and its model in an environment in this folder, without what nobody needs there.

    Where `tools` are to work in it, given as arguments for pip, what made the environment stays.
    """
    wheels = folder / "wheels"
    wheels.mkdir(parents=True)
    _, wheel = build_program(source, wheels)
    model = build_model(wheels, source.epoch)
    say("Installing the program with all of its libraries …")
    venv = folder / "venv"
    make_venv(venv)
    pinned = folder / "pinned.txt"
    pinned.write_text(pinned_parts(), encoding="utf-8")
    pip_install(venv, "--no-deps", "--only-binary", ":all:", "--require-hashes", "-r", str(pinned))
    pip_install(venv, "--no-deps", "--no-index", str(wheel), str(model))
    if tools:
        pip_install(venv, *tools)
    stage = Stage(venv, site_of(venv))
    clear_out(stage.site, () if tools else MAKERS)
    return stage


def site_of(venv: Path) -> Path:
    """The folder of an environment's packages."""
    found = [*venv.glob("lib/python3*/site-packages"), *venv.glob("Lib/site-packages")]
    if not found:
        raise Failure(f"{venv} has no folder for packages.")
    return found[0]


def clear_out(site: Path, makers: Sequence[str] = MAKERS) -> None:
    """Take away what the installed program never loads."""
    leave_out(site)
    for path in [*made_by(site, makers), *left_out(site), *unused_qt(site)]:
        # One may lie in another that is gone already.
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink(missing_ok=True)
    tidy_records(site)


def tidy_records(site: Path) -> None:
    """Leave only what is there in pip's lists, and nothing of where the environment was: two builds differ there."""
    for path in site.glob("*.dist-info/direct_url.json"):
        path.unlink()
    for path in site.glob("*.dist-info/RECORD"):
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        path.write_text("".join(line for line in lines if _is_there(line, site)), encoding="utf-8")


def _is_there(line: str, site: Path) -> bool:
    name = next(csv.reader([line]))[0]
    return not name.startswith("..") and (site / name).exists()


def made_by(site: Path, makers: Sequence[str]) -> list[Path]:
    """What the makers of an environment left in it."""
    if not makers:
        return []
    beside = [
        site / name for name in ("_distutils_hack", "distutils-precedence.pth", "pkg_resources", *makers)
    ]
    infos = [path for name in makers for path in site.glob(f"{name}-*.dist-info")]
    return [path for path in (*beside, *infos) if path.exists()]


def left_out(site: Path) -> Iterator[Path]:
    """Everything that is named here."""
    yield from (path for name in QT_LEFT_OUT if (path := site / "PySide6" / name).exists())
    translations = site.glob("PySide6/Qt/translations/*")
    yield from (path for path in translations if path.stem not in QT_WORDS)
    yield from site.glob("PySide6/*.pyi")
    yield from (path for path in site.rglob("__pycache__") if path.is_dir())


def unused_qt(site: Path) -> Iterator[Path]:
    """Modules, plugins and libraries of Qt that nothing of ours leads to."""
    qt = site / "PySide6"
    wanted = qt_modules(site / "workbench")
    modules = [*qt.glob("Qt*.abi3.so")]
    gone = [path for path in modules if path.name.partition(".")[0] not in wanted]
    plugins = [*(qt / "Qt" / "plugins").rglob("*.so")]
    gone += [path for path in plugins if not _is_wanted(path.relative_to(qt / "Qt" / "plugins").as_posix())]
    libraries = [*qt.glob("lib*.so*"), *(qt / "Qt" / "lib").glob("*.so*")]
    roots = [path for path in (*modules, *plugins) if path not in gone]
    shiboken = [*(site / "shiboken6").glob("*.so*")]
    used = reached([*roots, *shiboken], libraries)
    yield from (*gone, *(path for path in libraries if path not in used))


def _is_wanted(plugin: str) -> bool:
    return any(plugin.startswith(name) for name in QT_PLUGINS)


def qt_modules(package: Path) -> frozenset[str]:
    """The modules of Qt that the program's own files name."""
    texts = (path.read_text(encoding="utf-8") for path in package.rglob("*.py"))
    return frozenset(name for text in texts for found in _QT_MODULE.findall(text) for name in found if name)


def reached(roots: Iterable[Path], libraries: Iterable[Path]) -> frozenset[Path]:
    """The libraries that these files load, and those that they load in turn."""
    by_name = {path.name: path for path in libraries}
    found: set[Path] = set()
    waiting = list(roots)
    while waiting:
        for name in needed(waiting.pop()):
            path = by_name.get(name)
            if path is not None and path not in found:
                found.add(path)
                waiting.append(path)
    return frozenset(found)


def strip(folder: Path) -> None:
    """Take symbols and what debuggers read out of every binary; the largest of them is mostly that."""
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and is_elf(path)):
        run_program(["strip", "--strip-unneeded", str(path)], cwd=folder)


def compile_all(python: str, site: Path, seen_as: str) -> None:
    """Compile every module for a folder that is read only; the compiled files are taken as they are, at any time."""
    script = (
        "import compileall, py_compile, sys\n"
        "mode = py_compile.PycInvalidationMode.UNCHECKED_HASH\n"
        "sys.exit(not compileall.compile_dir(sys.argv[1], quiet=2, force=True, workers=1, stripdir=sys.argv[1], "
        "prependdir=sys.argv[2], invalidation_mode=mode, maxlevels=30))"
    )
    environment = {"PYTHONHASHSEED": "0"}
    done = subprocess.run([python, "-c", script, str(site), seen_as], env=environment, check=False)
    if done.returncode not in (
        0,
        1,
    ):  # 1: a file in some library that no Python of ours can read, and nobody loads
        raise Failure("The modules could not be compiled.")
