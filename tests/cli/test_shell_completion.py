"""Scripts for shells, run by the shells themselves where they are installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from workbench.cli.main import COMMANDS, build_parser
from workbench.cli.shell import SHELLS, describe_parser

ROOT = describe_parser(build_parser(COMMANDS))


def shell(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed here")
    return found


def completed_by_bash(*words: str) -> list[str]:
    given = " ".join(f'"{word}"' for word in words)
    script = f"{SHELLS['bash'](ROOT)}\nCOMP_WORDS=({given}); COMP_CWORD={len(words) - 1}; _workbench\n"
    script += 'printf "%s\\n" "${COMPREPLY[@]}"'
    done = subprocess.run([shell("bash"), "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize("name", SHELLS)
def test_every_option_of_every_command_is_offered(name: str):
    script = SHELLS[name](ROOT)
    for command in ROOT.all():
        for option in command.options:
            flag = option.flags[-1]
            assert (f"-l {flag[2:]} " if name == "fish" else flag) in script, (command.words, flag)


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("workbench", "hist"), ["history"]),
        (("workbench", "history", "exp"), ["export"]),
        (("workbench", "history", "export", "--format", "sh"), ["sharegpt"]),
        (("workbench", "ask", "--at"), ["--attach"]),
        (("workbench", "--data-dir", "ask", "insp"), ["inspect"]),  # a folder of that name is no command
        (("workbench", "ask", "--model", "x"), []),
    ],
)
def test_bash_completes(words: tuple[str, ...], offered: list[str]):
    assert completed_by_bash(*words) == offered


def test_bash_completes_files_where_files_are_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "notes.md").write_text("x")
    monkeypatch.chdir(tmp_path)
    assert completed_by_bash("workbench", "ask", "--attach", "no") == ["notes.md"]
    assert completed_by_bash("workbench", "replay", "no") == ["notes.md"]


def test_zsh_takes_it(tmp_path: Path):
    script = tmp_path / "_workbench"
    script.write_text(SHELLS["zsh"](ROOT))
    done = subprocess.run([shell("zsh"), "-n", str(script)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_fish_completes(tmp_path: Path):
    script = tmp_path / "workbench.fish"
    script.write_text(SHELLS["fish"](ROOT))
    asked = f"source {script}; complete -C 'workbench history export --format sh'"
    done = subprocess.run([shell("fish"), "-c", asked], capture_output=True, text=True)
    assert (done.stdout.split()[0], done.stderr) == ("sharegpt", "")
