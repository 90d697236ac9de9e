"""Manual pages."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from workbench.cli.main import COMMANDS, build_parser
from workbench.cli.shell import Argument, CommandHelp, described, pages

PAGES = pages(described(build_parser(COMMANDS)), "1.2", "shows a request")


def test_there_is_a_page_for_the_program_and_for_every_command():
    assert set(PAGES) == {"workbench.1", *(f"workbench-{command.name}.1" for command in COMMANDS)}


def test_a_hyphen_stays_one_and_no_line_is_a_request():
    told = Argument(("--at",), "FILE", ".so /etc/passwd … \\n")
    page = pages(CommandHelp((), "", (told,)), "1", "s")["workbench.1"]
    assert "\\fB\\-\\-at\\fR \\fIFILE\\fR" in page
    assert "\n\\&.so /etc/passwd ... \\en\n" in page


@pytest.mark.parametrize("name", sorted(PAGES))
def test_groff_has_nothing_to_say_about_it(name: str):
    groff = shutil.which("groff")
    if groff is None:
        pytest.skip("groff is not installed here")
    done = subprocess.run(
        [groff, "-man", "-k", "-Tutf8", "-ww"], input=PAGES[name], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "workbench 1.2" in done.stdout
