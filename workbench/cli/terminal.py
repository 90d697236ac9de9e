"""The person at the terminal: asked for secrets unseen, told things beside the results."""

from __future__ import annotations

import getpass
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from workbench.domain.errors import StoreLocked, UnusableSecret
from workbench.domain.secret import Secret

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

    def ask_new(self) -> Secret:
        """A new passphrase, typed twice alike."""
        for _ in range(ATTEMPTS):
            chosen = self.ask("New passphrase (several words)")
            if not chosen:
                tell("An empty passphrase protects nothing.")
            elif self.ask("The same again") == chosen:
                return chosen
            else:
                tell("The two differ.")
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


def tell(text: str) -> None:
    """Say something to the person, beside the results; where nobody can hear it, it must not get among them."""
    if sys.stderr is not None:
        print(text, file=sys.stderr, flush=True)
