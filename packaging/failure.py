"""What the commands of a checkout say to people, and how they give up.

Like dev.py this file must start on old Pythons, and uses the standard library only.
"""

from __future__ import annotations

import sys


class Failure(Exception):
    """Something a person has to know about and can act on."""


def say(text: str) -> None:
    """Words for people go to standard error, so that the program's output stays clean."""
    print(text, file=sys.stderr, flush=True)
