"""What a reader says of a file that it cannot read, and the two limits that all readers keep."""

from __future__ import annotations

MOST_CHARACTERS = 20_000_000
MOST_SECTIONS = 20_000


class Unreadable(Exception):
    """A file that gives no text: what it is instead, and what somebody can do."""

    def __init__(self, reason: str, advice: str = "Attach another file.") -> None:
        super().__init__(reason)
        self.reason, self.advice = reason, advice


class NeedsPassword(Unreadable):
    """A file that only its password opens; `wrong` where one was given that does not."""

    def __init__(self, what: str, wrong: bool) -> None:
        reason = f"the password does not open this {what}" if wrong else f"it is a {what} with a password"
        super().__init__(reason, "Give its password, or save it without one.")


def broken(what: str) -> Unreadable:
    """Of a file that begins as it should and does not go on so."""
    return Unreadable(
        f"it is a damaged {what}", "Open it in its own program, save it again, and attach that."
    )


def clean(text: str) -> str:
    """Text as it can be kept and sent: without NUL, and without halves of characters."""
    if "\0" in text:
        text = text.replace("\0", "")
    return text.encode("utf-8", "replace").decode("utf-8") if _has_halves(text) else text


def _has_halves(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def counted(number: int, one: str, more: str = "") -> str:
    """A number with its noun."""
    return f"{number:,} {one if number == 1 else more or one + 's'}"
