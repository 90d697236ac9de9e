"""What the README shows works as it is written."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import dev
from tests.architecture.source_tree import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^    python3 packaging/dev\.py (.+)$", README, re.MULTILINE)


def test_every_command_is_one_that_exists():
    assert {command.split()[0] for command in COMMANDS} == {"run", "test"}
    assert {command.split()[0] for command in COMMANDS} <= set(dev.COMMANDS)


def test_the_example_conversation_replays_with_every_command_shown():
    (example,) = re.findall(r"```json\n(.*?)```", README, re.DOTALL)
    replays = [command.split()[2:] for command in COMMANDS if " replay " in command]
    assert len(replays) == 2
    for arguments in replays:
        given = ["-" if argument == "conversation.json" else argument for argument in arguments]
        done = subprocess.run(
            [sys.executable, "-m", "workbench", *given], input=example, capture_output=True, text=True
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert [turn["turn"] for turn in json.loads(done.stdout)["turns"]] == [1, 2]
