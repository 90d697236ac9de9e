"""Input and output of commands: results on standard output, messages on standard error, hidden prompts for secrets."""

from __future__ import annotations

import getpass
import json
import os
import signal
import stat
import sys
import threading
import unicodedata
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

from workbench.domain.errors import InvalidInput, StoreLocked, UnusableSecret
from workbench.domain.secrets import Secret
from workbench.domain.translation import tr
from workbench.files.language import in_language

if TYPE_CHECKING:
    from workbench.engine.tasks import Stopper

# Results on standard output: always UTF-8, and nothing in foreign text can act on the terminal it is shown
# on.

_ACTING = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def print_text(text: str = "") -> None:
    """Prints one result line; foreign text in it must have gone through `visible`."""
    print_bytes(f"{in_language(text)}\n".encode("utf-8", "backslashreplace"))


def print_json(document: object) -> None:
    """Prints a result as one line of JSON."""
    print_bytes(json.dumps(document, ensure_ascii=True).encode("ascii") + b"\n")


def print_bytes(content: bytes) -> None:
    """Writes bytes to standard output and flushes it."""
    sys.stdout.flush()
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def visible(text: str) -> str:
    r"""Escapes characters that act on a terminal instead of being seen, such as `\u202e`; keeps line ends and tabs."""
    lines = in_language(text).split("\n")
    return "\n".join("\t".join(map(visible_line, line.split("\t"))) for line in lines)


def visible_line(text: str) -> str:
    """Escapes control characters, line ends and invisible signs that reorder text, so that the text is one line."""
    text = in_language(text)
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escaped(c) if unicodedata.category(c) in _ACTING else c for c in text)


def print_table(rows: Sequence[Sequence[str]], right: frozenset[int] = frozenset()) -> None:
    """Prints rows as columns, those in `right` flush right; the last column may have any width."""
    rows = [[in_language(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)] if rows else []
    for row in rows:
        cells = [
            _padded(cell, width, i in right) for i, (cell, width) in enumerate(zip(row, widths, strict=False))
        ]
        print_text("  ".join([*cells, row[-1]]).rstrip())


def _padded(cell: str, width: int, right: bool) -> str:
    return cell.rjust(width) if right else cell.ljust(width)


def _escaped(character: str) -> str:
    return json.dumps(character)[1:-1] if ord(character) != 0x7F else "\\u007f"


ATTEMPTS = 3


class Terminal:
    """A person at a terminal, who can be asked for secrets and consent → SecretPrompt."""

    def ask(self, prompt: str) -> Secret:
        """Asks for a secret without showing what is typed."""
        try:
            with _interrupt_ends_prompt():
                return Secret.of_text(getpass.getpass(f"{in_language(prompt)}: ", stream=sys.stderr))
        except EOFError:
            raise StoreLocked(tr("Nothing was typed."), tr("Run the command again.")) from None

    def agrees(self, question: str) -> bool:
        """Asks a question and returns whether the answer is yes; anything else means no."""
        tell(tr("{question} [y/N]", question=question))
        with _interrupt_ends_prompt():
            return sys.stdin.readline().strip().lower() in ("y", "yes")

    def ask_new(self) -> Secret:
        """Asks for a new passphrase twice, until both are equal; gives up after some attempts."""
        for _ in range(ATTEMPTS):
            chosen = self.ask(tr("New passphrase (several words)"))
            if not chosen:
                tell(tr("An empty passphrase protects nothing."))
            elif self.ask("The same again") == chosen:
                return chosen
            else:
                tell(tr("The passphrases do not match."))
        raise UnusableSecret(tr("No passphrase was chosen."), tr("Run the command again."))


@contextmanager
def _interrupt_ends_prompt() -> Iterator[None]:
    """Lets Ctrl-C end a prompt at once: an event loop would act on it only after the line was typed."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    in_charge = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, in_charge)


def find_terminal() -> Terminal | None:
    """Returns the terminal; None where standard input is not one."""
    return Terminal() if sys.stdin is not None and sys.stdin.isatty() else None


def confirm_spending(*, yes: bool, priced: bool) -> bool:
    """Asks whether requests that may cost something are to be sent; without a terminal only `--yes` counts."""
    if yes:
        return True
    terminal = find_terminal()
    if terminal is None:
        tell(
            tr(
                "No terminal to confirm on; use {words}.",
                words=tr("--cap-usd or --yes") if priced else "--yes",
            )
        )
        return False
    try:
        return terminal.agrees("Ask?")
    except KeyboardInterrupt:
        tell(tr("\nStopped. No model was asked, and nothing was changed."))
        raise


def tell_progress(text: str) -> None:
    """Overwrites the progress line on standard error; prints nothing where that is not a terminal."""
    if sys.stderr is not None and sys.stderr.isatty():
        print(f"\r\x1b[K{visible_line(text)}", end="", file=sys.stderr, flush=True)


def tell(text: str) -> None:
    """Prints a message on standard error, apart from the results; control characters in it are escaped."""
    if sys.stderr is not None:
        print(visible(text), file=sys.stderr, flush=True)


# What is piped in: read up to a limit, because a pipe says nothing of its length and may never end.


MEBIBYTE = 2**20
LONGEST_PIPED = 256 * MEBIBYTE
_AS_A_FILE = tr("save it as a file, and give that")


def read_standard_input(most_bytes: int, instead: str) -> bytes:
    """Reads standard input; `InvalidInput` where it is closed or longer than `most_bytes`."""
    if sys.stdin is None:
        raise InvalidInput("-", tr("standard input is closed"))
    return read_up_to(sys.stdin.buffer, most_bytes, instead)


def read_up_to(stream: BinaryIO, most_bytes: int, instead: str, name: str = "-") -> bytes:
    """Reads a stream that may never end; where it is too long, the error says what to do `instead`."""
    content = stream.read(most_bytes + 1)
    if len(content) > most_bytes:
        limit = f"{most_bytes // MEBIBYTE} MiB"
        raise InvalidInput(
            name,
            tr(
                "more than {limit}: the rest was not read, and nothing was done; {instead}",
                limit=limit,
                instead=instead,
            ),
        )
    return content


def read_named(name: str) -> bytes:
    """Reads a file, or standard input for `-`; a pipe is read up to a limit."""
    try:
        if name == "-":
            return read_standard_input(LONGEST_PIPED, _AS_A_FILE)
        with open(name, "rb") as file:
            # A pipe by its name (/dev/stdin, a shell's <(…)) is as endless as standard input.
            known = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            return file.read() if known else read_up_to(file, LONGEST_PIPED, _AS_A_FILE, name)
    except OSError as problem:
        raise InvalidInput(name, problem.strerror or type(problem).__name__) from problem


# Work that asks request by request: how far it is, and Ctrl-C, which ends it with what there is.


T = TypeVar("T")
STOPPED = 130


async def run_stoppable(work: Coroutine[Any, Any, T], stopper: Stopper) -> T:
    """Awaits some work; Ctrl-C stops it, and what it has so far is returned."""
    import asyncio
    import signal

    loop = asyncio.get_running_loop()
    try:
        loop.add_signal_handler(signal.SIGINT, stopper.stop)
    except (NotImplementedError, RuntimeError, ValueError):  # Windows, or not the main thread
        return await work
    try:
        return await work
    finally:
        loop.remove_signal_handler(signal.SIGINT)
        tell_progress("")


def show_progress(done: int, planned: int, left_s: float | None) -> None:
    """Shows on a terminal how many requests are done, and about how long the rest will take."""
    left = "" if left_s is None or done == planned else tr(", about {max} s left", max=max(1, round(left_s)))
    tell_progress(tr("request {done} of {planned}{left}", done=done, planned=planned, left=left))
