"""Manual pages and completion of a package come from the program in it."""

from __future__ import annotations

import sys

from kinds.shell_files import shell_files
from workbench.cli.main import COMMANDS


def test_there_is_a_page_for_the_program_and_for_every_command():
    written = shell_files(sys.executable)
    pages = {name.rpartition("/")[2] for name in written if "/man1/" in name}
    assert pages == {"workbench.1", *(f"workbench-{command.name}.1" for command in COMMANDS)}
    assert written["usr/share/zsh/vendor-completions/_workbench"].startswith("#compdef workbench\n")
    assert "complete -F _workbench workbench" in written["usr/share/bash-completion/completions/workbench"]
    assert "complete -c workbench" in written["usr/share/fish/vendor_completions.d/workbench.fish"]
