"""The child process, with a stand-in for the library it runs: what it tells it, what it says, and when it ends."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from workbench.providers.builtin.server import COMMAND

LIBRARY = """
import json, os, sys

LOOKS = os.environ.get("GOMP_SPINCOUNT")

class Bag:
    pass

class CommonParams(Bag):
    def __init__(self):
        self.model, self.cpuparams, self.cpuparams_batch = Bag(), Bag(), Bag()
        self.cors_origins, self.cors_credentials, self.ui = "*", True, True

class Server:
    def __init__(self, params):
        print("noise of the library", flush=True)
        if params.model.path == "broken":
            raise RuntimeError("no such model")
        told = {name: value for name, value in vars(params).items() if not isinstance(value, Bag)}
        told |= {"path": params.model.path, "threads": [params.cpuparams.n_threads, params.cpuparams_batch.n_threads]}
        told["looks"] = LOOKS
        told["model_alias"] = sorted(told["model_alias"])
        print(json.dumps(told), file=sys.stderr)
        self.listening_address = "http://127.0.0.1:1234"
"""
SETTINGS: dict[str, Any] = {
    "model": "a.gguf",
    "name": "builtin",
    "key": "sesame",
    "window_tokens": 99,
    "threads": 3,
}


@pytest.fixture
def library(tmp_path: Path) -> Path:
    (tmp_path / "xllamacpp.py").write_text(LIBRARY, encoding="utf-8")
    return tmp_path


def run(folder: Path, line: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """The child, whose input ends when it has answered."""
    with subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=cwd,
        env={"PYTHONPATH": str(folder)},
    ) as child:  # fmt: skip
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(line)
        child.stdin.flush()
        answer = child.stdout.readline() if line else ""
        rest, errors = child.communicate(timeout=250)
        return subprocess.CompletedProcess(COMMAND, child.returncode, answer + rest, errors)


def test_it_answers_with_one_line_and_ends_with_its_input(library: Path):
    done = run(library, json.dumps(SETTINGS) + "\n")
    assert (done.returncode, done.stdout) == (0, '{"address": "http://127.0.0.1:1234"}\n')


def test_what_the_library_prints_does_not_get_into_the_answer(library: Path):
    assert "noise of the library" in run(library, json.dumps(SETTINGS) + "\n").stderr


def test_the_server_gets_its_settings_and_no_more_than_it_needs(library: Path):
    told = json.loads(run(library, json.dumps(SETTINGS) + "\n").stderr.splitlines()[-1])
    assert (told["path"], told["model_alias"], told["api_keys"]) == ("a.gguf", ["builtin"], ["sesame"])
    assert (told["n_ctx"], told["n_parallel"], told["threads"]) == (99, 1, [3, 3])
    assert (told["ui"], told["offline"], told["cache_ram_mib"]) == (False, True, 0)


def test_mlflow_cve_2026_2611_no_page_may_read_its_answers(library: Path):
    """An open loopback port: any page in a browser could ask it, and read what comes back."""
    told = json.loads(run(library, json.dumps(SETTINGS) + "\n").stderr.splitlines()[-1])
    assert (told["cors_origins"], told["cors_credentials"]) == ("https://nobody.invalid", False)


def test_one_that_cannot_be_started_is_said(library: Path):
    done = run(library, json.dumps({**SETTINGS, "model": "broken"}) + "\n")
    assert json.loads(done.stdout) == {"error": "RuntimeError: no such model"}


def test_a_missing_library_is_said(tmp_path: Path):
    (tmp_path / "xllamacpp.py").write_text("raise ImportError('not for this machine')", encoding="utf-8")
    done = run(tmp_path, json.dumps(SETTINGS) + "\n")
    assert json.loads(done.stdout) == {"error": "ImportError: not for this machine"}


def test_without_settings_it_ends(library: Path):
    done = run(library, "")
    assert (done.returncode, done.stdout) == (0, "")


def test_nothing_is_imported_from_the_folder_it_runs_in(
    library: Path, tmp_path_factory: pytest.TempPathFactory
):
    """A file called json.py beside someone's documents must not be run."""
    trap = tmp_path_factory.mktemp("trap")
    (trap / "json.py").write_text("raise SystemExit('trapped')", encoding="utf-8")
    done = run(library, json.dumps(SETTINGS) + "\n", cwd=trap)
    assert done.stdout == '{"address": "http://127.0.0.1:1234"}\n'
    assert COMMAND[0] == sys.executable


def test_its_threads_do_not_wait_for_each_other_awake(library: Path):
    """Beside four busy programs an answer of two threads came at 0.7 tokens a second instead of 14."""
    assert json.loads(run(library, json.dumps(SETTINGS) + "\n").stderr.splitlines()[-1])["looks"] == "1000"
