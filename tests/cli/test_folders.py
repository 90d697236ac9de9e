"""`workbench folders` and `ask --follow`, on a real encrypted store."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from workbench.__main__ import main

Capture = pytest.CaptureFixture[str]
FILLER = "Other things are told here for whoever reads on. " * 6


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WORKBENCH_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("WORKBENCH_PASSPHRASE", "ample otter glides")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "answer.txt").write_text("Fine.", encoding="utf-8")
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "blame.md").write_text(
        f"# Blame\nShows which author last modified each line. {FILLER}", encoding="utf-8"
    )
    (docs / "stash.md").write_text(f"# Stash\nPuts unfinished changes away. {FILLER}", encoding="utf-8")
    (docs / "binary.dat").write_bytes(b"\0\1")
    return tmp_path


def call(capsys: Capture, *argv: str) -> tuple[int, str, str]:
    try:
        code = main(list(argv))
    except SystemExit as end:
        code = int(end.code or 0)
    said = capsys.readouterr()
    return code or 0, said.out, said.err


def test_added_listed_searched_and_removed(place: Path, capsys: Capture):
    code, out, err = call(capsys, "folders", "add", "docs", "--json")
    added = json.loads(out)
    assert (code, added["state"], added["files"], added["over_limit"]) == (0, "up to date", 2, 0)
    assert added["unread"] == [{"path": "binary.dat", "reason": "binary"}]
    assert "not searched: binary.dat (binary)" in err
    assert [one["path"] for one in json.loads(call(capsys, "folders", "list", "--json")[1])] == [
        str(place / "docs")
    ]
    code, out, _ = call(capsys, "folders", "search", "which author modified a line", "--json")
    answer = json.loads(out)
    assert (code, answer["nothing"]) == (0, False)
    first = answer["quotes"][0]
    assert (first["path"], first["part"]) == (str(place / "docs" / "blame.md"), "Blame")
    assert first["why"].startswith("words: ")
    assert 0 < first["tokens"] < 400
    code, out, _ = call(capsys, "folders", "search", "author modified", "--tokens", "5", "--json")
    assert (code, json.loads(out)) == (1, {"quotes": [], "nothing": True})
    code, out, err = call(capsys, "folders", "search", "How do I cook rice?", "--folder", "docs", "--json")
    assert (code, json.loads(out)) == (1, {"quotes": [], "nothing": True})
    assert "nothing here fits" in err
    assert call(capsys, "folders", "remove", "docs")[0] == 0
    assert json.loads(call(capsys, "folders", "list", "--json")[1]) == []


@pytest.mark.parametrize(
    ("argv", "code", "said"),
    [
        (("add",), 2, "needs a DIR"),
        (("list", "docs"), 2, "takes no DIR"),
        (("add", "nowhere"), 2, "is not a folder"),
        (("search", "words", "--tokens", "0"), 2, "at least 1"),
    ],
)
def test_wrong_usage_is_said(place: Path, capsys: Capture, argv: tuple[str, ...], code: int, said: str):
    ended, _, err = call(capsys, "folders", *argv)
    assert (ended, said in err) == (code, True)


def quotes(line: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        one
        for layer in line["report"]["layers"]
        for one in layer["segments"]
        if one.get("source") == "folder"
    ]


@pytest.mark.parametrize("layout", ["layered", "append_only"])
def test_a_followed_folder_is_quoted_for_every_question_and_each_section_once(
    place: Path, capsys: Capture, layout: str
):
    code, out, err = call(
        capsys, "ask", "Which author modified a line?", "And which author modified a line last?",
        "How do I cook rice?", "--follow", "docs", "--model", "scripted:answer.txt",
        "--set", f"layout={layout}", "--set", "context_window=16000", "--json",
    )  # fmt: skip
    assert code == 0, err
    first, second, third = map(json.loads, out.splitlines())
    told = quotes(first)[0]
    assert (told["path"], told["part"]) == (str(place / "docs" / "blame.md"), "Blame")
    assert {word["word"] for word in told["words"]} >= {"author", "modified", "line"}
    assert not any(line["report"]["violations"] for line in (first, second, third))
    sent = json.dumps(second["report"]["messages"])
    assert sent.count("Shows which author last modified each line.") == 1
    assert quotes(third) == []
    # The chat goes on following, without being told again.
    code, out, _ = call(
        capsys,
        "ask",
        "unfinished changes away",
        "--chat",
        first["chat"],
        "--model",
        "scripted:answer.txt",
        "--json",
    )
    assert "Puts unfinished changes away." in json.dumps(json.loads(out)["report"]["messages"])


def test_a_folder_of_a_workspace_is_searched_in_its_chats(place: Path, capsys: Capture):
    call(capsys, "workspaces", "create", "Docs")
    assert call(capsys, "folders", "add", "docs", "--workspace", "Docs")[0] == 0
    code, out, err = call(
        capsys, "ask", "Which author modified a line?", "--workspace", "Docs", "--model", "scripted:answer.txt",
        "--json",
    )  # fmt: skip
    assert code == 0, err
    assert quotes(json.loads(out))
