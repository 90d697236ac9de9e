"""Every command that the guide and the README show ends as they say."""

from __future__ import annotations

import re
import shlex
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from tests.architecture.source_tree import ROOT
from tests.fakes.guide_files import PASSPHRASE, lay_out, shell_lines
from workbench.cli.main import run
from workbench.domain.guide import GuideText
from workbench.sources.resources import shipped_guide
from workbench.wiring.command_line import command_parts

README = GuideText("README", "", (ROOT / "README.md").read_text(encoding="utf-8"))
PAGES = [page for page in (*shipped_guide(), README) if shell_lines(page.text)]
SAID = re.compile(r'\[chat ([0-9a-f]+)\]|"chat": "([0-9a-f]+)"')
EXIT = re.compile(r"# exit (\d)$")


class Shell:
    """Runs lines as they are written, in this process; CHAT is the chat that was asked in last."""

    def __init__(self, capture: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch) -> None:
        self._capture, self._patch = capture, patch
        self._chat = ""

    def run(self, line: str) -> tuple[int, str]:
        words = shlex.split(line, comments=True)
        assert words[0] == "workbench"
        if "<" in words:
            at = words.index("<")
            self._patch.setattr(sys, "stdin", TextIOWrapper(BytesIO(Path(words[at + 1]).read_bytes())))
            words = words[:at]
        code = run([self._chat if word == "CHAT" else word for word in words[1:]], command_parts)
        shown = self._capture.readouterr()
        said = SAID.search(shown.err) or SAID.search(shown.out)
        self._chat = self._chat if said is None else str(said[1] or said[2])
        return code, shown.err


def asks_the_real_model(page: GuideText) -> bool:
    return "--model builtin" in page.text


@pytest.mark.parametrize(
    "page", [page for page in PAGES if not asks_the_real_model(page)], ids=lambda page: page.name
)
def test_every_command_ends_as_the_page_says(
    page: GuideText, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    run_all(page, tmp_path, monkeypatch, capsys)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if asks_the_real_model(page)], ids=lambda page: page.name
)
def test_every_command_with_the_real_model_ends_as_the_page_says(
    page: GuideText, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    run_all(page, tmp_path, monkeypatch, capsys)


def run_all(
    page: GuideText, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = lay_out(tmp_path, page)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WORKBENCH_DATA_DIR", str(data))
    monkeypatch.setenv("WORKBENCH_PASSPHRASE", PASSPHRASE)
    shell = Shell(capsys, monkeypatch)
    for line in shell_lines(page.text):
        told = EXIT.search(line)
        code, said = shell.run(line)
        assert code == (int(told[1]) if told else 0), f"{line}\n{said}"
        if "--new-passphrase-file" in line:
            monkeypatch.setenv("WORKBENCH_PASSPHRASE", "five other words as one")


def test_all_pages_but_lists_and_those_about_others_have_commands():
    assert {page.name for page in shipped_guide()} - {page.name for page in PAGES} == {
        "shortcuts",
        "promises",
        "attackers",
        "servers",  # its commands need a server of somebody's
    }
