"""The person at the terminal: asked for secrets unseen, told things beside the results."""

from __future__ import annotations

import getpass
import json
import signal
import sys
import threading
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from workbench.domain.errors import StoreLocked, UnusableSecret
from workbench.domain.keys.secret import Secret

# Results on standard output: always UTF-8, and nothing in foreign text can act on the terminal it is shown
# on.

_ACTING = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def print_text(text: str = "") -> None:
    """One result, as it is; foreign text in it went through `visible` before."""
    print_bytes(f"{text}\n".encode("utf-8", "backslashreplace"))


def print_json(document: object) -> None:
    """A result for machines, on one line."""
    print_bytes(json.dumps(document, ensure_ascii=True).encode("ascii") + b"\n")


def print_bytes(content: bytes) -> None:
    """A result whose bytes are decided already."""
    sys.stdout.flush()
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def visible(text: str) -> str:
    """Text with its lines and tabs, everything else that acts instead of being seen written as `\\u202e`."""
    return "\n".join("\t".join(map(visible_line, line.split("\t"))) for line in text.split("\n"))


def visible_line(text: str) -> str:
    """Text on one line: control characters, line ends and the invisible signs that reorder text are written out."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escaped(c) if unicodedata.category(c) in _ACTING else c for c in text)


def counted(number: int, thing: str) -> str:
    """A number of things, said as a person would: `1 chat`, `2 chats`."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def print_table(rows: Sequence[Sequence[str]], right: frozenset[int] = frozenset()) -> None:
    """Rows in columns; the numbers of those to be flush right are in `right`. The last column may be of any width."""
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
    """Somebody at a terminal → SecretPrompt."""

    def ask(self, prompt: str) -> Secret:
        """What is typed, without showing it."""
        try:
            with _leaving_on_interrupt():
                return Secret.of_text(getpass.getpass(f"{prompt}: ", stream=sys.stderr))
        except EOFError:
            raise StoreLocked("Nothing was typed.", "Run the command again.") from None

    def agrees(self, question: str) -> bool:
        """Whether somebody says yes; anything else is no."""
        tell(f"{question} [y/N]")
        with _leaving_on_interrupt():
            return sys.stdin.readline().strip().lower() in ("y", "yes")

    def ask_new(self) -> Secret:
        """A new passphrase, typed twice alike."""
        for _ in range(ATTEMPTS):
            chosen = self.ask("New passphrase (several words)")
            if not chosen:
                tell("An empty passphrase protects nothing.")
            elif self.ask("The same again") == chosen:
                return chosen
            else:
                tell("The passphrases do not match.")
        raise UnusableSecret("No passphrase was chosen.", "Run the command again.")


@contextmanager
def _leaving_on_interrupt() -> Iterator[None]:
    """An event loop takes Ctrl-C for itself, and would act on it only after the line was typed."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    in_charge = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, in_charge)


def find_terminal() -> Terminal | None:
    """The terminal, where somebody sits at it."""
    return Terminal() if sys.stdin is not None and sys.stdin.isatty() else None


def agrees_to_spend(*, yes: bool, priced: bool) -> bool:
    """Whether somebody says yes to requests that may cost something; where nobody can, an option must."""
    if yes:
        return True
    terminal = find_terminal()
    if terminal is None:
        tell(f"No terminal to confirm on; use {'--cap-usd or --yes' if priced else '--yes'}.")
        return False
    try:
        return terminal.agrees("Ask?")
    except KeyboardInterrupt:
        tell("\nStopped. No model was asked, and nothing was changed.")
        raise


def tell_progress(text: str) -> None:
    """Say how far something is, over what was said of it before; only somebody who watches is told."""
    if sys.stderr is not None and sys.stderr.isatty():
        print(f"\r\x1b[K{visible_line(text)}", end="", file=sys.stderr, flush=True)


def tell(text: str) -> None:
    """Say something to the person, beside the results; where nobody can hear it, it must not get among them.

    Nothing in it can act on the terminal: names of files are of whoever made them.
    """
    if sys.stderr is not None:
        print(visible(text), file=sys.stderr, flush=True)
