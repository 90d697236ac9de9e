"""A wheel and an sdist for pip and pipx, and the built-in model as a wheel beside them."""

from __future__ import annotations

import shutil
from pathlib import Path

import trial
from failure import Failure, say
from kinds.model import build_model
from kinds.source import Source, committed
from package_tools import make_venv, pip_install, program, run_program, run_tool, tools

PROGRAM = "context_workbench"


def build(out: Path) -> list[Path]:
    """The sdist, the wheel made of it, and the model's wheel; each checked as a registry would."""
    with committed() as source:
        sdist, wheel = build_program(source, out)
        model = build_model(out, source.epoch)
    say(run_tool("twine", "--no-color", "check", "--strict", str(sdist), str(wheel), str(model)).strip())
    say(run_tool("check-wheel-contents", str(wheel)).strip())
    # W010: no modules. It holds one file, which is data.
    say(run_tool("check-wheel-contents", "--ignore", "W010", str(model)).strip())
    return [sdist, wheel, model]


def build_program(source: Source, out: Path) -> list[Path]:
    """The program's sdist and wheel; with the pinned builder of the tools, so that nothing else is fetched."""
    for old in out.glob(f"{PROGRAM}-*"):
        old.unlink()
    command = ("-m", "build", "--no-isolation", "--outdir", str(out), str(source.tree))
    run_tool("python", *command, cwd=source.tree, env=source.environment)
    return [next(out.glob(f"{PROGRAM}-*{ending}")) for ending in (".tar.gz", ".whl")]


def require_for_trial() -> None:
    """Nothing but what is here anyway."""


def try_it(files: list[Path]) -> None:
    """Install by pip and by pipx, each into an empty place; start, ask, put into the menu, and remove."""
    sdist, wheel, model = files
    place = trial.scratch("wheel")
    try:
        say("By pip, from the wheel:")
        _by_pip(place / "pip", wheel, model)
        say("By pip, from the sdist:")
        _by_pip(place / "sdist", sdist, model)
        say("By pipx:")
        _by_pipx(place / "pipx", wheel, model)
    finally:
        shutil.rmtree(place)


def _by_pip(place: Path, package: Path, model: Path) -> None:
    place.mkdir()
    venv, home = place / "venv", place / "home"
    home.mkdir()
    make_venv(venv)
    pip_install(venv, str(package), str(model))
    _try_installed(program(venv, "workbench"), home, package.parent / f"window-{place.name}.png")
    # The model first: it lies in a folder of the program's, which pip would leave behind empty.
    removed = ("context-workbench-model", "context-workbench")
    run_program([str(program(venv, "python")), "-m", "pip", "uninstall", "-y", *removed])
    _require_gone(venv)


def _by_pipx(place: Path, package: Path, model: Path) -> None:
    place.mkdir()
    home = place / "home"
    home.mkdir()
    pipx = str(program(tools(), "pipx"))
    around = {"PIPX_HOME": str(place / "apps"), "PIPX_BIN_DIR": str(place / "bin"), "HOME": str(home)}
    run_program([pipx, "install", str(package)], env=around)
    run_program([pipx, "inject", "context-workbench", str(model)], env=around)
    _try_installed(place / "bin" / "workbench", home, package.parent / "window-pipx.png")
    run_program([pipx, "uninstall", "context-workbench"], env=around)
    _require_gone(place / "apps" / "venvs")


def _try_installed(workbench: Path, home: Path, picture: Path) -> None:
    """As a stranger would; then into the menu of this home, and out of it again."""
    trial.try_program([str(workbench)], home, picture)
    around = trial.clean_environment(home)
    before = _files_in(home)
    run_program([str(workbench), "integrate"], cwd=home, env=around)
    added = _files_in(home) - before
    if not any(path.suffix == ".desktop" for path in added):
        raise Failure(f"`workbench integrate` put no entry into the menu of {home}.")
    run_program([str(workbench), "integrate", "--undo"], cwd=home, env=around)
    if left := _files_in(home) - before:
        raise Failure(f"`workbench integrate --undo` left {', '.join(map(str, sorted(left)))}.")
    say(f"  in the menu and out of it again: {len(added)} files")


def _files_in(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if path.is_file()}


def _require_gone(folder: Path) -> None:
    left = [path for path in folder.rglob("workbench*") if "pip.log" not in path.name]
    if left:
        raise Failure(f"Removing it left {', '.join(map(str, left[:5]))}.")
    say("  removed")
