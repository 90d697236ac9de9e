"""What the commands of the guide and the README work on: the files they name, and a model that answers from a file."""

from __future__ import annotations

import json
import re
from pathlib import Path

from workbench.domain.guide import GuideText

PASSPHRASE = "four words as one"
SHELL = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
JSON = re.compile(r"^```json\n(.*?)^```", re.MULTILINE | re.DOTALL)
NOTES = "# Release notes\n\nThe release is on 14 May. Anna is responsible.\n\n## Clock skew\n\n60 seconds.\n"
AREA = (
    "class Circle:\n    def __init__(self, r):\n        self.r = r\n\n    def area(self):\n        return 3\n"
)
ANSWER = "It is on 14 May, as the notes say. " + "The team has met and talked about it at length. " * 20


def shell_lines(text: str) -> list[str]:
    """The commands of a page, in order."""
    return [line for block in SHELL.findall(text) for line in block.splitlines() if line.strip()]


def lay_out(folder: Path, page: GuideText) -> Path:
    """Put the files there; the data folder, whose settings name a scripted model."""
    long = "".join(
        f"## Part {number}\n\nThe parts are new, and so is number {number}.\n\n" for number in range(900)
    )
    (folder / "notes.md").write_text(NOTES, encoding="utf-8")
    (folder / "long.md").write_text(f"# Long\n\n{long}", encoding="utf-8")
    (folder / "src").mkdir()
    for place in ("area.py", "src/area.py"):
        (folder / place).write_text(AREA, encoding="utf-8")
    (folder / "docs").mkdir()
    told = "Other things are told here for whoever reads on. " * 6
    (folder / "docs" / "clocks.md").write_text(
        f"# Clocks\n\nThe clock skew may be large: up to five seconds.\n\n{told}\n", encoding="utf-8"
    )
    (folder / "docs" / "keys.md").write_text(
        f"# Keys\n\nKeys are rotated once a year.\n\n{told}\n", encoding="utf-8"
    )
    (folder / "question.txt").write_text("When is the release?\n", encoding="utf-8")
    (folder / "new.txt").write_text("five other words as one\n", encoding="utf-8")
    said = [{"role": "user", "content": "When?"}, {"role": "assistant", "content": "The release is in May."}]
    (folder / "chats.json").write_text(json.dumps({"messages": said}), encoding="utf-8")
    for example in JSON.findall(page.text):
        (folder / "conversation.json").write_text(example, encoding="utf-8")
    (folder / "answer.txt").write_text(f"{ANSWER}\n", encoding="utf-8")
    data = folder / "data"
    data.mkdir()
    (data / "settings.toml").write_text(f'model = "scripted:{folder / "answer.txt"}"\n', encoding="utf-8")
    return data
