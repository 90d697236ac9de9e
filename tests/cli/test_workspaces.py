"""`workbench workspaces` and `ask --workspace`, on a real encrypted store."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from workbench.__main__ import main

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WORKBENCH_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("WORKBENCH_PASSPHRASE", "ample otter glides")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "answer.txt").write_text("Fine.", encoding="utf-8")
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "a.md").write_text("I am the file.", encoding="utf-8")
    return tmp_path


def call(capsys: Capture, *argv: str) -> tuple[int, str, str]:
    try:
        code = main(list(argv))
    except SystemExit as end:
        code = int(end.code or 0)
    said = capsys.readouterr()
    return code or 0, said.out, said.err


def ask(capsys: Capture, *argv: str) -> dict[str, Any]:
    code, out, err = call(capsys, "ask", *argv, "--model", "scripted:answer.txt", "--json")
    assert code == 0, err
    line: dict[str, Any] = json.loads(out)
    return line


def test_made_used_shown_exported_and_imported_it_is_the_same(place: Path, capsys: Capture):
    assert call(capsys, "workspaces", "list")[0] == 0
    code, out, _ = call(
        capsys,
        "workspaces",
        "create",
        "Auth service",
        "--folder",
        "code",
        "--instructions",
        "Python only.",
        "--json",
    )
    assert code == 0
    made = json.loads(out)
    line = ask(capsys, "Look at @read a.md", "--workspace", "auth SERVICE")
    system, *_, question = line["report"]["messages"]
    assert "Python only." in system["content"]
    assert "I am the file." in question["content"]
    code, out, _ = call(capsys, "workspaces", "show", "Auth service", "--json")
    shown = json.loads(out)
    assert (shown["id"], shown["chats"]) == (made["id"], [line["chat"]])
    assert shown["folder"] == str(place / "code")

    assert call(capsys, "workspaces", "export", "Auth service", "--out", "w.json")[0] == 0
    assert "passphrase" not in (place / "w.json").read_text(encoding="ascii")
    code, out, err = call(capsys, "--data-dir", "other", "workspaces", "import", "w.json", "--json")
    assert code == 0, err
    assert json.loads(out) == {"workspaces": [made], "chats": 1, "problems": []}
    code, out, _ = call(capsys, "--data-dir", "other", "workspaces", "show", "Auth service", "--json")
    again = json.loads(out)
    # What a file says must not choose what is read on this computer: the folder waits for somebody's word.
    assert (again["folder"], again["folder_offered"]) == ("", str(place / "code"))
    assert {**again, "folder": "", "folder_offered": ""} == {**shown, "folder": "", "folder_offered": ""}
    assert (
        call(capsys, "--data-dir", "other", "workspaces", "export", "Auth service", "--out", "w2.json")[0]
        == 0
    )
    first, second = (json.loads((place / name).read_text(encoding="ascii")) for name in ("w.json", "w2.json"))
    for one in (first, second):
        one["workspace"]["folder"] = ""
        one["texts"] = {key: text for key, text in one["texts"].items() if text != str(place / "code")}
    assert strip_imported(first) == strip_imported(second)

    code, out, err = call(capsys, "workspaces", "import", "w.json", "--folder", "code", "--json")
    assert code == 0, err
    (second_one,) = json.loads(out)["workspaces"]
    assert second_one["name"] == "Auth service 2"
    code, out, _ = call(capsys, "workspaces", "list", "--json")
    assert [(row["name"], row["chats"]) for row in json.loads(out)] == [
        ("Auth service", 1),
        ("Auth service 2", 1),
    ]
    assert call(capsys, "workspaces", "delete", "Auth service 2")[0] == 0
    code, out, _ = call(capsys, "history", "list", "--json")
    assert len(json.loads(out)) == 2, "its chats stay"
    assert "Auth service 2" not in call(capsys, "workspaces")[1]


def strip_imported(document: dict[str, Any]) -> dict[str, Any]:
    """Without what a store notes for itself about a chat that came from elsewhere."""
    for chat in document["chats"]:
        for turn in chat["turns"]:
            (turn["usage"] or {}).pop("imported", None)
    return document


def test_what_is_wrong_is_said_and_no_store_is_made_for_it(place: Path, capsys: Capture):
    for argv, code, words in (
        (["workspaces", "show"], 2, "needs a NAME"),
        (["workspaces", "list", "x"], 2, "takes no NAME"),
        (["workspaces", "show", "x"], 2, "there is no workspace 'x'"),
        (["workspaces", "export", "x"], 2, "there is no workspace 'x'"),
        (["workspaces", "create", "x", "--folder", "nowhere"], 2, "is not a folder"),
        (["workspaces", "import", "answer.txt"], 2, "none of the formats"),
        (
            ["ask", "Hm?", "--workspace", "nowhere", "--model", "scripted:answer.txt"],
            2,
            "neither a workspace nor a",
        ),
    ):
        found = call(capsys, *argv)
        assert (found[0], found[1]) == (code, ""), argv
        assert words in found[2]
    assert not (place / "data").exists()
    assert call(capsys, "workspaces", "create", "x")[0] == 0
    assert call(capsys, "workspaces", "create", "X")[0] == 2, "the command line goes by names"
    line = ask(capsys, "Hm?")
    code, _, err = call(capsys, "ask", "Hm?", "--chat", line["chat"], "--workspace", "x")
    assert (code, "is not in 'x'" in err) == (2, True)


def test_a_file_that_calls_its_chat_a_template_makes_none(place: Path, capsys: Capture):
    call(capsys, "workspaces", "create", "x", "--json")
    ask(capsys, "Hm?")
    _, out, _ = call(capsys, "history", "export")
    document = json.loads(out)
    text = json.dumps(document).replace(document["chats"][0]["chat"]["id"], "workspace:x")
    (place / "evil.json").write_text(text, encoding="utf-8")
    code, out, _ = call(capsys, "history", "import", "evil.json", "--json")
    assert code == 0
    (kept,) = json.loads(out)["chats"]
    assert not kept["id"].startswith("workspace:")
