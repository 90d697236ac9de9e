"""Data files are found the same way from a bundle, a wheel and a checkout."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from workbench.sources.resources import ResourceMissing, find_resource, resource_folders, resource_path

ROOT = Path(__file__).resolve().parents[2]


def make(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "models.toml").touch()
    return folder


def find(package: Path, bundle: str | None = None) -> Path:
    return find_resource(["models.toml"], resource_folders(package, bundle))


def test_in_a_checkout_it_lies_beside_the_package(tmp_path: Path):
    folder = make(tmp_path / "resources")
    assert find(tmp_path / "workbench") == folder / "models.toml"


def test_in_a_wheel_it_lies_inside_the_package(tmp_path: Path):
    make(tmp_path / "resources")  # somebody else's, beside ours in site-packages
    folder = make(tmp_path / "workbench" / "resources")
    assert find(tmp_path / "workbench") == folder / "models.toml"


def test_in_a_bundle_it_lies_where_the_bundle_was_unpacked(tmp_path: Path):
    make(tmp_path / "workbench" / "resources")
    folder = make(tmp_path / "unpacked" / "resources")
    assert find(tmp_path / "workbench", str(tmp_path / "unpacked")) == folder / "models.toml"


def test_this_checkout_has_its_resources():
    assert resource_path("encodings") == ROOT / "resources" / "encodings"


def test_a_running_bundle_is_recognised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = make(tmp_path / "resources")
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path), raising=False)
    assert resource_path("models.toml") == folder / "models.toml"


def test_a_missing_file_is_named(tmp_path: Path):
    folder = make(tmp_path / "resources")
    with pytest.raises(ResourceMissing) as error:
        find_resource(["prompts", "a.md"], [folder])
    assert str(error.value) == f"prompts/a.md is missing from {folder}. Install the program again."


def test_a_missing_folder_says_where_was_looked(tmp_path: Path):
    with pytest.raises(ResourceMissing) as error:
        find(tmp_path / "workbench")
    assert str(tmp_path / "workbench" / "resources") in str(error.value)
    assert str(tmp_path / "resources") in str(error.value)


def build(folder: Path) -> Path:
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder), cwd=ROOT)
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real wheel, built from this checkout."""
    return build(tmp_path_factory.mktemp("built"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the wheel was installed into."""
    target = tmp_path_factory.mktemp("installed")
    run(
        *[sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "-q"],
        "--target",
        str(target),
        str(wheel),
    )
    return target


def run(*command: str, cwd: Path | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def run_installed(installed: Path, script: str, *arguments: str) -> str:
    """Run with the installed program first on the path, ahead of the checkout."""
    prepared = f"import sys; sys.path.insert(0, {str(installed)!r})\n{script}"
    return run(sys.executable, "-P", "-c", prepared, *arguments, cwd=installed)


def test_a_real_wheel_brings_its_resources(installed: Path):
    script = "from workbench.sources.resources import resource_path; print(resource_path('encodings'))"
    assert run_installed(installed, script) == f"{installed / 'workbench' / 'resources' / 'encodings'}\n"


def test_a_real_wheel_brings_every_resource_byte_for_byte(installed: Path):
    assert contents(installed / "workbench" / "resources") == contents(ROOT / "resources")


def test_a_real_wheel_is_built_twice_byte_for_byte(wheel: Path, tmp_path: Path):
    """Neither the time nor the order of a folder's names may get in."""
    assert build(tmp_path).read_bytes() == wheel.read_bytes()


def contents(folder: Path) -> dict[str, bytes]:
    files = [path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_a_program_from_a_real_wheel_replays(installed: Path, tmp_path: Path):
    trajectory = tmp_path / "trajectory.json"
    trajectory.write_text(
        '{"format": "workbench-trajectory/1", "turns": [{"user": "Hello"}]}', encoding="utf-8"
    )
    script = "from workbench.__main__ import main; sys.exit(main(sys.argv[1:]))"
    assert "workbench-report/1" in run_installed(installed, script, "replay", str(trajectory))
