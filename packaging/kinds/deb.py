"""A Debian package with everything inside: the program, its libraries, its model, and what a desktop shows of it.

It is an environment of Debian's own Python under /usr/lib: security updates of Python reach it, and the package
is smaller than with a second one. The modules are compiled when the package is made: nothing runs when it is installed
or removed, so nothing can be left behind. Every time in it is that of the commit, so that two builds are equal.
"""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from failure import Failure, say
from kinds import chroot, deb_files
from kinds.copyright import copyright_file, listed_in, parts_in
from kinds.deb_files import NAME, PLACE, PYTHON, SITE, Identity
from kinds.elf import is_elf
from kinds.shell_files import shell_files
from kinds.source import Source, committed
from kinds.stage import Stage, compile_all, staged, strip
from package_tools import run_program

ROOT = Path(__file__).resolve().parent.parent.parent
TOOLS = {"dpkg-deb": "dpkg", "dpkg-shlibdeps": "dpkg-dev", "strip": "binutils"}
# Loaded only where a desktop has the library they bring the look or the printers of; suggested, not required.
OPTIONAL = ("platformthemes/libqgtk3.so", "printsupport/libcupsprintersupport.so")
# The same number on every machine: how the work was shared shows in the compressed bytes.
THREADS = "2"


def build(out: Path) -> list[Path]:
    """The package for this machine's processor."""
    require_tools()
    with committed() as source, tempfile.TemporaryDirectory(prefix="workbench-deb-") as folder:
        stage = staged(source, Path(folder))
        tree = Path(folder) / "tree"
        who = identity(source)
        lay_out(stage, source, who, tree)
        path = out / f"{NAME}_{who.version}_{who.architecture}.deb"
        say("Packing …")
        pack(tree, path, source)
    return [path]


def require_tools() -> None:
    """A Failure that says what to install, where something is missing."""
    missing = sorted({package for tool, package in TOOLS.items() if shutil.which(tool) is None})
    if missing:
        raise Failure(f"A Debian package is made on Debian. Install:  apt-get install {' '.join(missing)}")
    if f"python{sys.version_info[0]}.{sys.version_info[1]}" != PYTHON:
        raise Failure(f"The package is for {PYTHON}, which Debian 12 has. Run this command with it.")


def identity(source: Source) -> Identity:
    """Who makes the package: as Debian's tools take it from the environment, else whoever made the commit."""
    name, mail = os.environ.get("DEBFULLNAME"), os.environ.get("DEBEMAIL")
    git = ["git", "show", "-s", "--format=%an <%ae>", source.commit]
    maintainer = f"{name} <{mail}>" if name and mail else run_program(git, ROOT).strip()
    return Identity(version_of(source.tree), debian("--print-architecture"), maintainer, source.epoch)


def version_of(tree: Path) -> str:
    """The program's version."""
    text = (tree / "workbench" / "__init__.py").read_text(encoding="utf-8")
    return text.partition('__version__ = "')[2].partition('"')[0]


def debian(*arguments: str) -> str:
    """What dpkg says."""
    return run_program(["dpkg", *arguments]).strip()


def lay_out(stage: Stage, source: Source, who: Identity, tree: Path) -> None:
    """The package's files as they will lie on the machine, and its control file."""
    say("Laying out the package …")
    written = shell_files(stage.python)
    strip(stage.site)
    compile_all(stage.python, stage.site, f"/{SITE}")
    (tree / SITE).parent.mkdir(parents=True)
    stage.site.rename(tree / SITE)
    shutil.copytree(source.tree / "resources" / "desktop", tree / "usr/share", ignore=_no_readme)
    (tree / "DEBIAN").mkdir()
    write(tree / PLACE / "pyvenv.cfg", deb_files.ENVIRONMENT)
    write(tree / PLACE / "bin/workbench", deb_files.START)
    link(tree / PLACE / "bin/python3", f"../../../bin/{PYTHON}")
    link(tree / "usr/bin/workbench", f"../lib/{NAME}/bin/workbench")
    for place, text in written.items():
        if "/man/" in place:
            write_gzip(tree / f"{place}.gz", text.encode())
        else:
            write(tree / place, text)
    docs = tree / "usr/share/doc" / NAME
    listed = listed_in((source.tree / "resources" / "parts.cdx.json").read_text(encoding="utf-8"))
    parts = parts_in(tree / SITE, SITE, listed)
    write(docs / "copyright", copyright_file((source.tree / "LICENSE").read_text(encoding="utf-8"), parts))
    write_gzip(docs / "changelog.gz", deb_files.changelog(who).encode())
    write_gzip(docs / "CHANGELOG.md.gz", (source.tree / "CHANGELOG.md").read_bytes())
    write(tree / "usr/share/lintian/overrides" / NAME, deb_files.overrides())
    set_modes(tree, source.epoch)
    files = [path for path in tree.rglob("*") if path.is_file() and not path.is_symlink()]
    size = sum(path.stat().st_size for path in files)
    write(tree / "DEBIAN/control", deb_files.control(who, depends_of(tree), size))
    write(tree / "DEBIAN/md5sums", md5sums(tree, files))
    set_modes(tree, source.epoch)


def _no_readme(_folder: str, names: list[str]) -> list[str]:
    return [name for name in names if name == "README.md"]


def write(path: Path, text: str) -> None:
    """A file of the package."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def write_gzip(path: Path, content: bytes) -> None:
    """A compressed file, without a time in it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(content, 9, mtime=0))


def link(path: Path, target: str) -> None:
    """A link of the package."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)


def md5sums(tree: Path, files: Iterable[Path]) -> str:
    """What `dpkg --verify` compares."""
    import hashlib

    names = sorted(path.relative_to(tree).as_posix() for path in files)
    sums = (hashlib.md5((tree / name).read_bytes(), usedforsecurity=False).hexdigest() for name in names)
    return "".join(f"{total}  {name}\n" for total, name in zip(sums, names, strict=True))


def set_modes(tree: Path, epoch: int) -> None:
    """The same modes and times whoever builds it: programs can be run, everything can be read, only root writes."""
    for path in (tree, *tree.rglob("*")):
        if not path.is_symlink():
            is_program = path.is_dir() or path.parent == tree / PLACE / "bin"
            path.chmod(0o755 if is_program else 0o644)
        os.utime(path, (epoch, epoch), follow_symlinks=False)


def depends_of(tree: Path) -> list[str]:
    """The Debian packages whose libraries ours are linked with, as dpkg-shlibdeps finds them."""
    files = sorted(
        path for path in tree.rglob("*") if path.is_file() and not path.is_symlink() and is_elf(path)
    )
    linked = [path for path in files if not path.as_posix().endswith(OPTIONAL)]
    private = sorted({f"-l{path.parent}" for path in files})
    with tempfile.TemporaryDirectory(prefix="workbench-depends-") as folder:
        write(Path(folder) / "debian/control", f"Source: {NAME}\n\nPackage: {NAME}\nArchitecture: any\n")
        ended = subprocess.run(
            ["dpkg-shlibdeps", "-O", "--ignore-missing-info", *private, *map(str, linked)],
            cwd=folder, capture_output=True, text=True, check=False,
        )  # fmt: skip
    found = deb_files.shared_depends(ended.stdout)
    if ended.returncode != 0 or not found:
        errors = "\n".join(line for line in ended.stderr.splitlines() if "error:" in line)
        raise Failure(f"{errors}\nThe libraries it is linked with were not found; install them here first.")
    return found


def pack(tree: Path, path: Path, source: Source) -> None:
    """Pack the tree; all files belong to root, and are younger than nothing."""
    command = [
        "dpkg-deb",
        "--root-owner-group",
        f"--threads-max={THREADS}",
        # The lowest level: the model and most binaries hardly get smaller, and higher ones take minutes more.
        "-Zxz",
        "-z1",
        "--build",
        str(tree),
        str(path),
    ]
    run_program(command, env=source.environment)


def check(path: Path) -> None:
    """What lintian says; an error of it is a Failure."""
    if shutil.which("lintian") is None:
        say("Not checked: there is no lintian here (apt-get install lintian).")
        return
    told = run_program(
        ["lintian", "--fail-on", "error", "--allow-root", "--tag-display-limit", "0", str(path)]
    )
    say(f"lintian: {told.count(chr(10)) or 'no'} remarks, no errors.\n{told}".rstrip())


def require_for_trial() -> None:
    """What a fresh Debian needs."""
    chroot.require()


def try_it(files: list[Path]) -> None:
    """Ask lintian; install it into a fresh Debian, try it there, purge it, and compare the files before and after."""
    (package,) = files
    check(package)
    with chroot.fresh_debian(chroot.DESKTOP) as debian_12:
        debian_12.prepare_for(package)
        before = debian_12.files()
        debian_12.install(package)
        debian_12.try_program("/usr/bin/workbench", package.parent / "window-deb.png")
        debian_12.try_opening("/usr/bin/workbench", package.parent / "window-deb-open.png")
        debian_12.purge(NAME)
        debian_12.require_same(before)
