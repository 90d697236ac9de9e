"""The command `bench`: what it finds, prints and ends with, and that nothing of another version is left behind."""

from __future__ import annotations

import json
import subprocess
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.architecture.source_tree import ROOT
from tests.benchmarks.running import command
from tests.benchmarks.running.against import NoSuchVersion, checked_out, compare, joined
from tests.benchmarks.running.catalogue import Benchmark, UnknownName, chosen, find_benchmarks
from tests.benchmarks.running.figures import Figure, Means, at_least, at_most, not_measured
from tests.benchmarks.running.machine import machine
from tests.benchmarks.running.measure import Measured, measure, measure_all
from tests.benchmarks.running.peers import STAMP, peers_python
from tests.benchmarks.running.table import number, row, summary, table

GOOD = '''"""Two figures, one of which misses its goal."""

from tests.benchmarks.running.figures import Figure, at_least, at_most


def figures(means):
    print("a word of its own")
    yield Figure("steps", 3.0, "×", (2.5, 3.5), at_most(4), "a walk")
    yield Figure("leaps", 3.0, "×", None, at_least(4))
'''
BROKEN = '''"""Gives a figure, then breaks."""

from tests.benchmarks.running.figures import Figure


def figures(means):
    yield Figure("before", 1.0, "ms")
    raise OSError("the disk is made of cheese")
'''


@pytest.fixture
def tiny(tmp_path: Path) -> Callable[[str, str], Benchmark]:
    """Makes a benchmark in a folder of its own, beside the real runner."""
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    (tmp_path / "tiny").mkdir()

    def made(name: str, text: str) -> Benchmark:
        (tmp_path / "tiny" / f"bench_{name}.py").write_text(text, encoding="utf-8")
        (found,) = (each for each in find_benchmarks(tmp_path / "tiny", tmp_path) if each.name == name)
        return found

    return made


def test_a_benchmark_is_found_by_its_file_and_read_without_being_loaded(tmp_path: Path):
    text = '"""A sentence.\n\nMore."""\nOPT_IN = "it is slow"\nNEEDS_PEERS = True\nimport no_such_library\n'
    (tmp_path / "bench_two_words.py").write_text(text, encoding="utf-8")
    expected = Benchmark("two-words", "A sentence.", "bench_two_words", "it is slow", needs_peers=True)
    assert find_benchmarks(tmp_path, tmp_path) == (expected,)


def test_without_names_everything_runs_but_what_is_only_run_by_its_name():
    usual, slow = Benchmark("usual", "", "u"), Benchmark("slow", "", "s", "it is slow")
    assert chosen([], (usual, slow)) == (usual,)
    assert chosen(["slow", "usual", "slow"], (usual, slow)) == (slow, usual)
    with pytest.raises(UnknownName, match=r"No benchmark is called fast\. There are: usual, slow\."):
        chosen(["usual", "fast"], (usual, slow))


def test_a_wrong_name_is_said_with_the_names_there_are_and_nothing_is_measured(
    capsys: pytest.CaptureFixture[str],
):
    assert command.main(["nonsense"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert all(each.name in said.err for each in find_benchmarks())


def test_the_list_says_what_each_measures_and_which_run_only_by_their_names(
    capsys: pytest.CaptureFixture[str],
):
    assert command.main(["--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(find_benchmarks())
    assert any(
        "(only by its name: making a million messages and 5 GB of files takes minutes)" in line
        for line in lines
    )


def test_every_benchmark_has_its_sentence_and_gives_figures():
    there = find_benchmarks()
    assert len({each.name for each in there}) == len(there) > 15
    for each in there:
        text = ROOT.joinpath(*each.module.split(".")).with_suffix(".py").read_text(encoding="utf-8")
        assert each.sentence.endswith("."), each.name
        assert "\ndef figures(" in text, each.name


def test_the_page_names_the_benchmarks_there_are():
    """A page that is written by a command is not written again by itself when a benchmark comes or goes."""
    page = (ROOT / "tests" / "benchmarks" / "README.md").read_text(encoding="utf-8")
    listed = page.partition("## Which there are")[2].partition("## The last figures")[0]
    named = [line.split("`")[1] for line in listed.splitlines() if line.startswith("| `")]
    assert named == [each.name for each in find_benchmarks()]
    assert [line for line in page.splitlines() if str(Path.home()) in line or "/tmp/" in line] == []


def test_figures_come_out_of_another_process_whatever_else_is_printed_there(
    tiny: Callable[[str, str], Benchmark], tmp_path: Path
):
    measured = measure(tiny("good", GOOD), Means(), tmp_path)
    assert measured.problem == ""
    assert measured.figures == (
        Figure("steps", 3.0, "×", (2.5, 3.5), at_most(4), "a walk"),
        Figure("leaps", 3.0, "×", None, at_least(4)),
    )
    assert [figure.verdict for figure in measured.figures] == ["met", "missed"]


def test_what_was_measured_before_a_benchmark_broke_is_kept_and_its_last_words_are_shown(
    tiny: Callable[[str, str], Benchmark], tmp_path: Path
):
    measured = measure(tiny("broken", BROKEN), Means(), tmp_path)
    assert measured.figures == (Figure("before", 1.0, "ms"),)
    assert measured.problem.endswith("OSError: the disk is made of cheese")
    shown = table([measured])
    assert "before  1 ms" in shown
    assert "OSError: the disk is made of cheese" in shown
    assert shown.endswith("broken: broken.")


def test_one_that_breaks_does_not_keep_the_others_from_running(monkeypatch: pytest.MonkeyPatch):
    said: list[str] = []
    two = (Benchmark("a", "First.", "no.such.module"), Benchmark("b", "Second.", "no.such.module"))
    results = measure_all(two, Means(), said.append, lambda: 0.0)
    assert [bool(result.problem) for result in results] == [True, True]
    assert [line for line in said if line.startswith(("a: ", "b: "))] == ["a: First.", "b: Second."]


def test_the_exit_code_says_whether_something_broke_and_not_whether_goals_were_met(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    missed = Measured(Benchmark("x", "X.", "x"), (Figure("slow", 9.0, "ms", goal=at_most(1)),))
    broken = Measured(Benchmark("y", "Y.", "y"), (), "it broke")
    for results, code in (([missed], 0), ([missed, broken], 1)):
        monkeypatch.setattr(command, "measure_all", lambda *_, results=results: results)
        assert command.main(["--json", "build"]) == code
        told = json.loads(capsys.readouterr().out)
        (first, *rest) = told["benchmarks"]
        assert first["figures"][0]["verdict"] == "missed"
        assert [each["problem"] for each in rest] == ["it broke"] * len(rest)
        assert told["machine"]["Python"]


def test_a_row_says_figure_spread_goal_and_verdict():
    assert row(Figure("a", 1.234, "ms", (1.0, 1.5), at_most(2))) == (
        "a",
        "1.23 ms",
        "1–1.50",
        "≤ 2 ms",
        "met",
    )
    assert row(Figure("b", 1500.0, "×", None, at_least(1000), "ours")) == (
        "b",
        "1,500 × ours",
        "",
        "≥ 1,000 ×",
        "met",
    )
    assert row(not_measured("c", "no Xvfb", "ms", at_most(1))) == (
        "c",
        "not measured",
        "",
        "≤ 1 ms",
        "no Xvfb",
    )
    assert [number(value) for value in (0.0123, 0.5, 12.34, 123.4, 5e6)] == [
        "0.012",
        "0.50",
        "12.3",
        "123",
        "5.0 M",
    ]


def test_what_is_missed_or_met_only_by_the_speed_of_the_machine_says_so_and_counts_all_the_same():
    late, early = Figure("a", 15, "ms", goal=at_most(12)), Figure("b", 11, "ms", goal=at_most(12))
    worse, share = Figure("c", 40, "ms", goal=at_most(12)), Figure("d", 15, "×", goal=at_most(12))
    slow = Measured(Benchmark("x", "", "x"), (late, early, worse, share), slower=1.5)
    fast = Measured(Benchmark("y", "", "y"), (early,), slower=0.5)
    assert [row(figure, slow.slower)[-1] for figure in slow.figures] == [
        "missed, by the machine", "met", "missed", "missed",
    ]  # fmt: skip
    assert row(early, fast.slower)[-1] == "met, by the machine"
    assert summary([slow, fast]) == (
        "2 of 5 goals met (1 by the machine), 3 missed (1 by the machine), with an empty window 0.50 to 1.50 × as slow "
        "as where they were set."
    )


def test_the_summary_counts_goals_by_how_they_stand():
    figures = (
        Figure("a", 1.0, "ms", goal=at_most(2)),
        Figure("b", 3.0, "ms", goal=at_most(2)),
        not_measured("c", "no reason", goal=at_most(2)),
        Figure("d", 3.0, "ms"),
    )
    told = summary([Measured(Benchmark("x", "", "x"), figures)])
    assert told == "1 of 3 goals met, 1 missed, 1 not measured."


def test_a_figure_survives_its_way_through_json():
    for figure in (
        Figure("a", 1.5, "ms", (1.0, 2.0), at_least(1), "b", "", "s", 50),
        not_measured("n", "why"),
    ):
        assert Figure.from_json(json.loads(json.dumps(figure.as_json()))) == figure


def test_the_machine_is_described_without_its_name():
    import platform

    told = machine()
    assert {"processor", "memory", "Python", "tiktoken"} <= set(told)
    assert not platform.node() or platform.node() not in json.dumps(told)


def test_where_the_peers_cannot_be_installed_their_rows_say_why(tmp_path: Path):
    """No network, no disk: everything else is measured all the same."""
    from tests.benchmarks import bench_growth

    pins = tmp_path / "pins.txt"
    pins.write_text("", encoding="utf-8")
    python, why = peers_python(lambda _: None, pins / "no folder", pins)
    assert (python, why) == ("", "no folder could not be made")
    rows = list(bench_growth.at_length(50, tmp_path, Means(no_peers=why, effort=0.1)))
    assert {figure.why_not for figure in rows if figure.value is None} == {why}
    assert [figure.name for figure in rows if figure.value is not None] == [
        f"{name}, 50 turns" for name in bench_growth.OURS
    ]


def test_peers_that_are_there_are_not_installed_again(tmp_path: Path):
    import hashlib
    import sys

    pins, python = tmp_path / "pins.txt", tmp_path / "venv" / "bin" / "python"
    pins.write_text("a==1\n", encoding="utf-8")
    python.parent.mkdir(parents=True)
    python.touch()
    stamp = hashlib.sha256(pins.read_bytes() + sys.version.encode()).hexdigest()
    (tmp_path / "venv" / STAMP).write_text(stamp, encoding="utf-8")
    said: list[str] = []
    assert peers_python(said.append, tmp_path / "venv", pins) == (str(python), "")
    assert said == []


def test_the_pins_of_the_peers_are_exact_sorted_and_count_with_our_tokenizer():
    lines = (ROOT / "packaging" / "constraints-bench.txt").read_text(encoding="utf-8").splitlines()
    pins = dict(line.split("==") for line in lines if not line.startswith("#"))
    assert list(pins) == sorted(pins)
    own = (ROOT / "packaging" / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert f"tiktoken=={pins['tiktoken']}" in own
    assert {"langchain-core", "llama-index-core"} <= set(pins)


# Two versions side by side, in a repository of two commits.

SIZE = Benchmark("size", "How large it is.", "tests.benchmarks.bench_size")
READS = '"""How large it is."""\nfrom tests.benchmarks.running.figures import Figure\n' + (
    "def figures(means):\n    import workbench\n    yield Figure('size', workbench.{0}, 'MB')\n"
)


def git(repository: Path, *arguments: str) -> str:
    named = ("-c", "user.name=Nobody", "-c", "user.email=nobody@example.org", "-c", "commit.gpgsign=false")
    command = ["git", *named, "-C", str(repository), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def commit(repository: Path, program: str, benchmark: str) -> None:
    (repository / "workbench" / "__init__.py").write_text(program, encoding="utf-8")
    (repository / "tests" / "benchmarks" / "bench_size.py").write_text(benchmark, encoding="utf-8")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", program)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A program that became half as large, with the benchmark that says so."""
    place = tmp_path / "repository"
    running = place / "tests" / "benchmarks" / "running"
    for folder in (running, place / "workbench", place / "resources"):
        folder.mkdir(parents=True)
    (place / "resources" / "data").write_text("", encoding="utf-8")
    for name in ("child.py", "figures.py"):
        source = ROOT / "tests" / "benchmarks" / "running" / name
        (running / name).write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
    git(tmp_path, "init", "-q", str(place))
    return place


def compared(repository: Path, ref: str, capsys: pytest.CaptureFixture[str], as_json: bool = True) -> str:
    code = compare(Namespace(against=ref, json=as_json), [SIZE], Means(), lambda _: None, repository)
    assert code == 0
    assert len(git(repository, "worktree", "list").splitlines()) == 1
    return capsys.readouterr().out


def test_two_commits_are_measured_by_the_same_benchmark(repository: Path, capsys: pytest.CaptureFixture[str]):
    commit(repository, "SIZE = 100\n", '"""Measures something else."""\n')
    commit(repository, "SIZE = 50\n", READS.format("SIZE"))
    (told,) = json.loads(compared(repository, "HEAD~1", capsys))["benchmarks"]
    (figure,) = told["figures"]
    assert (figure["before"]["value"], figure["after"]["value"], figure["ratio"]) == (100, 50, 0.5)
    shown = compared(repository, "HEAD~1", capsys, as_json=False)
    assert "size  100 MB (100–100)  50 MB (50–50)  0.50 ×" in shown


def test_a_version_that_the_benchmark_does_not_fit_is_measured_by_its_own(
    repository: Path, capsys: pytest.CaptureFixture[str]
):
    commit(repository, "LENGTH = 100\n", READS.format("LENGTH"))
    commit(repository, "SIZE = 50\n", READS.format("SIZE"))
    (told,) = json.loads(compared(repository, "HEAD~1", capsys))["benchmarks"]
    assert told["figures"][0]["ratio"] == 0.5


def test_a_version_that_cannot_run_a_benchmark_says_so(repository: Path, capsys: pytest.CaptureFixture[str]):
    commit(repository, "NAME = 1\n", '"""Nothing."""\n')
    commit(repository, "SIZE = 50\n", READS.format("SIZE"))
    shown = compared(repository, "HEAD~1", capsys, as_json=False)
    assert "size  not measured  50 MB (50–50)" in shown
    assert "HEAD~1 cannot run it to its end:" in shown


def test_nothing_of_another_version_is_left_behind(repository: Path):
    """Also after Ctrl+C: a worktree that stays would keep its branch and its folder for ever."""
    commit(repository, "SIZE = 1\n", READS.format("SIZE"))
    seen: list[Path] = []

    def interrupted() -> None:
        with checked_out("HEAD", repository) as version:
            seen.append(version)
            assert (version / "workbench" / "__init__.py").exists()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert not seen[0].parent.exists()
    assert len(git(repository, "worktree", "list").splitlines()) == 1
    with (
        pytest.raises(NoSuchVersion, match="nowhere cannot be checked out"),
        checked_out("nowhere", repository),
    ):
        pass


def test_rounds_are_joined_by_their_medians_and_one_that_failed_does_not_count():
    rounds = [
        Measured(SIZE, (Figure("a", 1.0, "ms"), not_measured("b", "no"))),
        Measured(SIZE, (Figure("a", 3.0, "ms"), Figure("b", 5.0, "ms"))),
        Measured(SIZE, (Figure("a", 2.0, "ms"),)),
    ]
    assert joined(rounds).figures == (Figure("a", 2.0, "ms", (1.0, 3.0)), Figure("b", 5.0, "ms", (5.0, 5.0)))
