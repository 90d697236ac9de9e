"""Make hashes.txt: the SHA-256 of every wheel that a pin may be installed from, for each system, processor and Python.

Run it after a pin has moved: `python3 packaging/make_hashes.py`. pip is asked for nothing but what it would install.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

from failure import Failure, say
from kinds import parts
from package_tools import program, tools

ROOT = Path(__file__).resolve().parent.parent
HASHES = ROOT / "packaging" / "hashes.txt"
PYTHONS = ("3.11", "3.12", "3.13")
GLIBCS = (5, 12, 17, 24, 26, 27, 28, 31, 34, 35)
HEAD = """\
# The SHA-256 of every wheel that a pin of constraints.txt may be installed from: Linux (glibc) on x86_64 and aarch64,
# macOS on arm64, Windows on x86_64; Python 3.11 to 3.13. Made by packaging/make_hashes.py; dev.py installs by it.
# macOS on x86_64 has no wheel of cryptography any more: dev.py goes by the versions alone there.
"""
RUN, REST = (
    "# The program, and what installs it from a checkout.",
    "# Tools, tests, extras, and the built-in model.",
)


class System(NamedTuple):
    """One system and processor, as pip names them."""

    name: str
    platforms: tuple[str, ...]
    windows: bool = False


def linux(processor: str) -> System:
    """Linux with a C library at most as new as Debian 12's."""
    old = () if processor == "aarch64" else (f"manylinux1_{processor}", f"manylinux2010_{processor}")
    new = tuple(f"manylinux_2_{minor}_{processor}" for minor in GLIBCS)
    return System(f"linux {processor}", (*old, f"manylinux2014_{processor}", *new))


SYSTEMS = (
    linux("aarch64"),
    linux("x86_64"),
    System("macos arm64", ("macosx_14_0_arm64",)),
    System("windows x86_64", ("win_amd64",), windows=True),
)


class Wheel(NamedTuple):
    """A wheel that pip would install."""

    package: str
    file: str
    digest: str

    @property
    def anywhere(self) -> bool:
        """Whether it fits every system."""
        return self.file.endswith("-any.whl")

    @property
    def any_python(self) -> bool:
        """Whether it fits every Python of one system."""
        return "-abi3-" in self.file or "-py3-none-" in self.file


def main() -> int:
    """Ask for everything, and write the file."""
    found, missing = ask_all(parts.pin_lines())
    HASHES.write_text(written(parts.pin_lines(), found, installed_first()), encoding="utf-8")
    for line in missing:
        say(f"no wheel: {line}")
    say(f"{len(found)} wheels of {len({wheel.package for wheel in found})} packages")
    return 0


def ask_all(pins: Iterable[str]) -> tuple[set[Wheel], list[str]]:
    """Every wheel for every system and Python; and what has none somewhere."""
    lines = [line for line in pins if "==" in line]
    found: set[Wheel] = set()
    missing: list[str] = []
    for system in SYSTEMS:
        here: set[Wheel] = set()
        for python in PYTHONS:
            known = {wheel.package for wheel in found if wheel.anywhere} | {
                wheel.package for wheel in here if wheel.any_python
            }
            wanted = [line for line in lines if fits(line, system, python) and name_of(line) not in known]
            wheels, lacking = ask(wanted, system, python)
            here |= wheels
            missing += [f"{name} on {system.name}, Python {python}" for name in lacking]
            say(f"{system.name}, Python {python}: {len(wheels)} wheels")
        found |= here
    return found, missing


def name_of(line: str) -> str:
    """The package that a pin is about."""
    return line.partition("==")[0]


def fits(line: str, system: System, python: str) -> bool:
    """Whether a pin is for this system and Python; pip itself would look at those it runs on."""
    marker = line.partition(";")[2]
    if "sys_platform" in marker:
        return system.windows
    older = re.search(r'python_version < "3\.(\d+)"', marker)
    return older is None or int(python.partition(".")[2]) < int(older[1])


def ask(lines: list[str], system: System, python: str) -> tuple[set[Wheel], list[str]]:
    """What pip would install for these pins; a package without a wheel is named, and the others are asked for again."""
    wanted = {name_of(line): line.partition(";")[0].strip() for line in lines}
    lacking: list[str] = []
    while wanted:
        with tempfile.TemporaryDirectory(prefix="workbench-hashes-") as folder:
            report = Path(folder) / "report.json"
            command = [
                str(program(tools(), "python")),
                "-m",
                "pip",
                "install",
                "--dry-run",
                "--ignore-installed",
            ]
            command += ["--no-deps", "--only-binary", ":all:", "--target", folder, "--report", str(report)]
            command += ["--python-version", python, "--quiet", "--disable-pip-version-check"]
            command += [word for platform in system.platforms for word in ("--platform", platform)]
            ended = subprocess.run([*command, *wanted.values()], capture_output=True, text=True, check=False)
            if ended.returncode == 0:
                return read_report(json.loads(report.read_text(encoding="utf-8"))), lacking
        none = re.search(r"No matching distribution found for ([\w.-]+)==", ended.stderr)
        if none is None:
            raise Failure(ended.stderr)
        lacking.append(parts.normalised(none[1]))
        del wanted[lacking[-1]]
    return set(), lacking


def read_report(report: dict[str, Any]) -> set[Wheel]:
    """The wheels that pip's report names."""
    wheels = set()
    for item in report["install"]:
        info = item["download_info"]
        file = info["url"].rpartition("/")[2].partition("#")[0]
        name = parts.normalised(item["metadata"]["name"])
        wheels.add(Wheel(name, file, info["archive_info"]["hashes"]["sha256"]))
    return wheels


def installed_first() -> set[str]:
    """What `dev.py run` installs: the program's needs, and those of installing it."""
    folder = parts.site_packages()
    installed = {
        parts.normalised(each.metadata["Name"]): each for each in metadata.distributions(path=[str(folder)])
    }
    table = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    closed = parts.closure([*table["build-system"]["requires"], *table["project"]["dependencies"]], installed)
    conditional = {name_of(line) for line in parts.pin_lines() if ";" in line}
    elsewhere = tomllib.loads(parts.TABLES.read_text(encoding="utf-8"))["elsewhere"]
    return closed | {name for name in conditional if elsewhere.get(name, "keyring") in closed}


def written(pins: Iterable[str], found: Iterable[Wheel], first: set[str]) -> str:
    """The file: pins with their markers and digests, what the program needs before the rest."""
    digests: dict[str, set[str]] = {}
    for wheel in found:
        digests.setdefault(wheel.package, set()).add(wheel.digest)
    lines = [line for line in pins if "==" in line]
    sections = (
        (RUN, [line for line in lines if name_of(line) in first]),
        (REST, [line for line in lines if name_of(line) not in first]),
    )
    return HEAD + "".join(
        f"\n{title}\n" + "".join(entry(line, sorted(digests.get(name_of(line), ()))) for line in chosen)
        for title, chosen in sections
    )


def entry(line: str, digests: list[str]) -> str:
    """One pin as pip reads it."""
    return " \\\n    ".join([line, *(f"--hash=sha256:{digest}" for digest in digests)]) + "\n"


if __name__ == "__main__":
    sys.exit(main())
