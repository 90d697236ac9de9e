"""What a window works with: the same history and keys as the commands have, with its dialogs in place of a terminal."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from typing import TYPE_CHECKING

from workbench.domain.secret import Secret
from workbench.ports.folder import HistoryAccess
from workbench.ports.keys import KeyKeeper, SecretPrompt
from workbench.wiring.folder import history, keys

if TYPE_CHECKING:
    from workbench.storage.keys.unlocking import People

Tell = Callable[[str], None]
TakeCode = Callable[[Secret], None]


class Typed:
    """What was typed into a dialog before anybody asked → SecretPrompt."""

    def __init__(self, secret: Secret) -> None:
        self._secret = secret

    def ask(self, prompt: str) -> Secret:
        """The passphrase, or the recovery code."""
        return self._secret

    def ask_new(self) -> Secret:
        """The new passphrase; the dialog had it typed twice."""
        return self._secret


def window_history(
    arguments: Namespace, prompt: SecretPrompt | None, tell: Tell, take_code: TakeCode
) -> HistoryAccess:
    """The history of the folder: `open` makes its store where there is none, and unlocks the one that is there.

    A new store is opened by the passphrase that the prompt gives; without a prompt, by the system's keyring. All of
    this happens in a thread, where `prompt` is asked, words are told and a new recovery code is given to `take_code`;
    each may wait there. A wrong passphrase is `WrongSecret`, at once: the window asks again by opening again.
    """
    return history(arguments, people=_people(prompt, tell, take_code))


def window_keys(
    arguments: Namespace, prompt: SecretPrompt | None, tell: Tell, take_code: TakeCode
) -> KeyKeeper:
    """The keys of the folder; its calls take a moment and may ask, so a window makes them in a thread."""
    return keys(arguments, _people(prompt, tell, take_code))


def _people(prompt: SecretPrompt | None, tell: Tell, take_code: TakeCode) -> People:
    from workbench.storage.keys.unlocking import People

    return People(prompt, tell, take_code=take_code, attempts=1)
