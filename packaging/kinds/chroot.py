"""A fresh Debian 12 in a folder, to try packages in: made by debootstrap from wherever this machine's own apt fetches.

It needs root and a Debian of the same kind. Nothing of this checkout or of this machine's Python is in it.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import trial
from failure import Failure, say
from package_tools import run_program

RELEASE = "bookworm"
USER, HOME = "trial", "/home/trial"
OPENED_BYTES = 200_000  # a packed picture of the import over a chat of one turn
# What a desktop has, so that entries, kinds of files and manual pages are really taken up, and taken out again.
DESKTOP = ("desktop-file-utils", "hicolor-icon-theme", "libglib2.0-bin", "man-db", "shared-mime-info")
# What the system writes down about what it did, and the user's own.
NOT_COMPARED = (
    *("dev", "home", "proc", "root", "run", "sys", "tmp"),
    *("var/cache", "var/lib/apt", "var/lib/dpkg", "var/log", "var/tmp"),
)
SAMPLE = '{"format": "workbench-trajectory/1", "turns": [{"user": "Hello", "reply": "Good morning!"}]}\n'


class Debian:
    """A system in a folder."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def run(self, *command: str) -> str:
        """What a command says in there, as root; a Failure where it fails."""
        environment = {
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            "DEBIAN_FRONTEND": "noninteractive",
            "LC_ALL": "C.UTF-8",
        }
        return run_program(["chroot", str(self.root), *command], env=environment)

    def has(self, program: str) -> bool:
        """Whether there is a program of that name."""
        return any((self.root / folder / program).exists() for folder in ("usr/bin", "usr/local/bin"))

    def add(self, *packages: str) -> None:
        """Install packages of Debian."""
        self.run("apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages)

    def files(self) -> set[str]:
        """Every file that is compared."""
        found = run_program(["find", ".", "-xdev"], cwd=self.root).splitlines()
        return {name[2:] for name in found if not name[2:].startswith(NOT_COMPARED)}

    def prepare_for(self, package: Path) -> None:
        """Install what the package depends on, so that afterwards only the package itself is new."""
        depends = run_program(["dpkg-deb", "--field", str(package), "Depends"]).strip()
        say("Installing what it depends on …")
        self.run("apt-get", "satisfy", "-y", "-qq", "--no-install-recommends", depends)

    def install(self, package: Path) -> None:
        """Install a package that lies on this machine, with nothing else."""
        shutil.copy(package, self.root / "tmp")
        self.run("dpkg", "--install", f"/tmp/{package.name}")
        (self.root / "tmp" / package.name).unlink()

    def purge(self, name: str) -> None:
        """Remove a package with all that belongs to it."""
        self.run("apt-get", "purge", "-y", "-qq", name)

    def require_same(self, before: set[str]) -> None:
        """A Failure that names what is there now and was not, or the other way round."""
        now = self.files()
        if now != before:
            raise Failure(f"Left behind: {sorted(now - before)[:20]}; gone: {sorted(before - now)[:20]}")
        say(f"  purged: the same {len(now):,} files as before, and the user's own in {HOME}")

    def as_user(self, program: str) -> list[str]:
        """The command that runs a program in there as a user."""
        return ["/usr/sbin/chroot", f"--userspec={USER}:{USER}", str(self.root), program]

    def try_program(self, program: str, picture: Path) -> trial.Trial:
        """Version, question, window; as the user of this system."""
        return trial.try_program(self.as_user(program), Path(HOME), picture)

    def try_opening(self, program: str, picture: Path) -> None:
        """A double click: the desktop knows what kind of file it is and what opens it, and that shows it."""
        file = f"{HOME}/talk.workbench.json"
        (self.root / file[1:]).write_text(SAMPLE, encoding="utf-8")
        kind = self.run("gio", "info", "-a", "standard::content-type", file).split()[-1]
        opens = self.run("gio", "mime", kind)
        if "context-workbench.desktop" not in opens:
            raise Failure(f"Nothing opens {kind}:\n{opens}")
        environment = trial.clean_environment(Path(HOME))
        trial.photograph([*self.as_user(program), file], environment, picture, OPENED_BYTES)
        say(f"  a double click on {kind} opens the window: {picture}")


def require() -> None:
    """A Failure that says what to install, where no fresh Debian can be made here."""
    if shutil.which("debootstrap") is None:
        raise Failure("There is no debootstrap here to make a fresh Debian with: apt-get install debootstrap")


@contextmanager
def fresh_debian(packages: Sequence[str] = ()) -> Iterator[Debian]:
    """A new system with these packages and a user, gone afterwards."""
    require()
    root = Path(tempfile.mkdtemp(prefix="workbench-debian-"))
    try:
        say("Making a fresh Debian 12 …")
        run_program(["debootstrap", "--variant=minbase", RELEASE, str(root), mirror(apt_sources())])
        root.chmod(0o755)  # a temporary folder is for nobody else, and its user must come in
        _use_own_sources(root)
        with _mounted(root):
            system = Debian(root)
            system.run("apt-get", "update", "-qq")
            if packages:
                system.add(*packages)
            system.run("useradd", "--create-home", "--home-dir", HOME, USER)
            yield system
    finally:
        shutil.rmtree(root, ignore_errors=True)


def apt_sources() -> str:
    """What this machine's apt is told to fetch from."""
    folder = Path("/etc/apt")
    files = [folder / "sources.list", *sorted((folder / "sources.list.d").glob("*"))]
    return "\n".join(path.read_text(encoding="utf-8") for path in files if path.is_file())


def mirror(sources: str) -> str:
    """The first address in there that has Debian 12 itself; both forms of such files are understood."""
    for stanza in re.split(r"\n\s*\n", sources):
        address = re.search(r"^URIs:\s*(\S+)", stanza, re.MULTILINE)
        if address and re.search(rf"^Suites:.*\b{RELEASE}(\s|$)", stanza, re.MULTILINE):
            return address[1]
    line = re.search(rf"^deb\s+(?:\[[^\]]*\]\s+)?(\S+)\s+{RELEASE}\s", sources, re.MULTILINE)
    if line is None:
        raise Failure(f"This machine's apt does not know {RELEASE}: a fresh one cannot be made here.")
    return line[1]


def _use_own_sources(root: Path) -> None:
    """Let it fetch from where this machine does, in the same way."""
    (root / "etc/apt/sources.list").unlink(missing_ok=True)
    for name in ("sources.list", "sources.list.d", "apt.conf.d"):
        path = Path("/etc/apt") / name
        if path.is_dir():
            shutil.copytree(path, root / "etc/apt" / name, dirs_exist_ok=True)
        elif path.is_file():
            shutil.copy(path, root / "etc/apt" / name)
    for name in ("etc/resolv.conf", "etc/hosts"):
        shutil.copy(Path("/") / name, root / name)
    # A fresh system leaves manual pages and texts out only where it is told to; this one is to have them.
    for path in (root / "etc/dpkg/dpkg.cfg.d").glob("*"):
        path.unlink()


@contextmanager
def _mounted(root: Path) -> Iterator[None]:
    """Its processes, and the display of ours; taken down again whatever happens."""
    done: list[Path] = []
    try:
        for kind, where in (("proc", root / "proc"),):
            if subprocess.run(["mount", "-t", kind, kind, str(where)], check=False).returncode == 0:
                done.append(where)
        yield
    finally:
        for where in reversed(done):
            run_program(["umount", "--lazy", str(where)])
