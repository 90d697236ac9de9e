"""The exceptions of readers that cannot read a file, and the limits that all readers share."""

from __future__ import annotations

from workbench.domain.translation import tr

MOST_CHARACTERS = 20_000_000
MOST_SECTIONS = 20_000


class Unreadable(Exception):
    """A file without readable text: what it is instead, and what the user can do."""

    def __init__(self, reason: str, advice: str = tr("Attach another file.")) -> None:
        super().__init__(reason)
        self.reason, self.advice = reason, advice


class NeedsPassword(Unreadable):
    """A file that needs a password; `wrong` where one was given that does not open it."""

    def __init__(self, what: str, wrong: bool) -> None:
        reason = (
            tr("the password does not open this {what}", what=what)
            if wrong
            else tr("it is a {what} with a password", what=what)
        )
        super().__init__(reason, tr("Give its password, or save it without one."))


def broken(what: str) -> Unreadable:
    """Returns the refusal of a file that starts correctly but is damaged."""
    return Unreadable(
        tr("it is a damaged {what}", what=what),
        tr("Open it in its own program, save it again, and attach that."),
    )


def clean(text: str) -> str:
    """Removes NUL characters and unpaired surrogates, so that text can be stored and sent."""
    if "\0" in text:
        text = text.replace("\0", "")
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
