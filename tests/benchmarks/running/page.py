"""The page about the benchmarks, `tests/benchmarks/README.md`, with the last figures and the picture of growth."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from tests.benchmarks.running.catalogue import HERE, ROOT, Benchmark, find_benchmarks
from tests.benchmarks.running.machine import BARE_WINDOW_MS, commit
from tests.benchmarks.running.measure import Measured, Say
from tests.benchmarks.running.picture import draw_growth
from tests.benchmarks.running.table import markdown, summary

PAGE = HERE / "README.md"
PICTURE = ROOT / "packaging" / "pictures" / "growth.png"
METHOD = """\
# Benchmarks

    python3 packaging/dev.py bench                  # the usual run, some minutes
    python3 packaging/dev.py bench keys pages       # only these
    python3 packaging/dev.py bench --list           # which there are
    python3 packaging/dev.py bench --json           # for machines
    python3 packaging/dev.py bench --against REF    # this checkout beside another commit
    python3 packaging/dev.py bench --write          # this page and its picture, made anew

This page is written by the last of these commands; edit `running/page.py` instead.

## How it is measured

- A benchmark is a file `bench_*.py`: its first line is its sentence, and `figures` yields what it found. Each runs in
  a process of its own; one that breaks says so and the others go on. A missed goal is a figure, not a failure.
- What is compared is done in turn, lap by lap in one run, so that a busy moment of the machine hits both sides. A
  ratio is that of the medians; its spread are the quartiles of the laps' own ratios. F is counting only the text that
  changed, U is one pass of the tokenizer over the whole conversation.
- The peers, langchain-core and llama-index-core, live in `.venv-bench` in the versions of
  `packaging/constraints-bench.txt`; nothing of them is imported by the program or its tests. They get the same
  messages, files, budget and tokenizer in a file. The program `llm`, beside which `ask` is measured, has `.venv-llm`.
- The window is the real program on a display of its own (Xvfb). A real key goes in by XTest, and the pixels of a
  small area are read until they change: what is measured is what a person would see. The first correct paint is the
  picture that then stays. Processor time is that of the whole program, all its threads, read from the kernel's clock
  of that process.
- Goals in milliseconds were set on a machine whose empty PySide6 window took {bare} ms of the processor. Such a
  window is opened before and after each benchmark: where a goal is met or missed only because the machine is faster or
  slower than that one was, the last column says “by the machine”; it counts as met or missed all the same.
- Commands are measured in the processor time of their process. Memory is what the kernel tells of it (PSS).
- Instructions are counted by `perf stat` where the machine allows it, else by valgrind, as the difference of two
  runs.

## What it cannot tell

- By the clock, figures are those of this machine at that moment: trust ratios above two, processor time and
  instructions. Times on a display include its server's work and that of looking at it, about a millisecond each.
- A display without a window manager and without a graphics card paints more slowly than a desktop does.
- The conversations are made of drawn words: alike on every machine, and less like a language than a real one.
- The peers choose which messages to send. They neither show the request, nor tell what a cache will serve, nor keep
  files whole.
- `--against` runs this checkout's benchmarks over the other version's program. Where they do not fit it, its own are
  tried.

## The slowest ways that are left

By a profile of the processor, in shares of the way:

- **Opening a chat of 5,000 messages**, until they stand in place: six tenths are the database's thread (SQLite and its
  cipher, and making the records, which a bare loop of JSON and two constructors does in 55 % of the time), four tenths
  the window's (items and ticks of all messages, the first messages' widgets, painting). Counts, the request and its
  rows follow.
- **`ask`**: 20 % SQLAlchemy, 11 % making our dataclasses, 8 % the libraries that speak HTTP, the rest some 400 modules.
  The program `llm` stands beside it, since it has the same libraries to load.
- **Payload, the first time, of 5,000 messages**: a tenth is making its widgets, a third writing and cutting the text
  and its outline, a fifth Qt's laying out of both, a fifth the first paint; what is not in sight follows in pieces.
  Beside it stand bare widgets with the same text and rows.

What Qt alone bounds: a key in a draft that is one line of a megabyte takes a bare `QTextEdit` 370 to 470 ms, ours 400
to 540, of which counting is 3.
"""


def write_page(results: Sequence[Measured], where: Mapping[str, str], say: Say) -> None:
    """Write the page, and the picture where growth was measured."""
    drawn = draw_growth([figure for result in results for figure in result.figures], PICTURE)
    PAGE.write_text("\n".join(page(results, where, PICTURE.exists())) + "\n", encoding="utf-8")
    say(f"Wrote {PAGE.relative_to(ROOT)}" + (f" and {PICTURE.relative_to(ROOT)}" if drawn else ""))


def page(results: Sequence[Measured], where: Mapping[str, str], with_picture: bool) -> Iterator[str]:
    """The page, line by line."""
    yield METHOD.format(bare=BARE_WINDOW_MS)
    yield "## Which there are"
    yield ""
    yield from listed(find_benchmarks())
    yield "## The last figures"
    yield ""
    yield f"Version {commit(ROOT)}; " + ", ".join(f"{name} {value}" for name, value in where.items()) + "."
    yield summary(results)
    yield ""
    if with_picture:
        picture = Path(os.path.relpath(PICTURE, PAGE.parent)).as_posix()
        yield f"![One new message until the request is ready, from 50 to 10,000 turns, beside the peers]({picture})"
        yield ""
    yield from markdown(results)


def listed(there: Iterable[Benchmark]) -> Iterator[str]:
    """Every benchmark in a row of a table."""
    yield "| name | what it measures |"
    yield "|---|---|"
    for each in there:
        only = f" Only by its name: {each.opt_in}." if each.opt_in else ""
        yield f"| `{each.name}` | {each.sentence}{only} |"
    yield ""
