"""Matches regular expressions in a child process, which is killed when it takes too long."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.domain.errors import WorkbenchError
from workbench.domain.translation import tr
from workbench.files.own_program import own_child
from workbench.tools.workspace.paths import Refused

_CHILD = Path(__file__).with_name("expression_child.py")
_LONGEST_PATTERN_CHARS = 500
_LONGEST_LINE_CHARS = 4000
Hit = tuple[int, int]
"""The index of a text and of a line in it, both from 0."""


@dataclass(frozen=True, slots=True)
class ExpressionSearch:
    """Searches texts line by line for a regular expression, using `command`."""

    command: tuple[str, ...] | None
    limit_s: float = 2.0  # a program that is being closed waits for it

    def find(self, pattern: str, ignore_case: bool, texts: Sequence[str]) -> tuple[Hit, ...]:
        """Returns all matching lines, in order."""
        if self.command is None:
            raise Refused("Regular expressions cannot be used here; search for plain text, without regex.")
        if len(pattern) > _LONGEST_PATTERN_CHARS:
            raise Refused(f"The expression is longer than {_LONGEST_PATTERN_CHARS} characters.")
        order = {
            "pattern": pattern, "ignore_case": ignore_case, "texts": list(texts), "line_chars": _LONGEST_LINE_CHARS,
        }  # fmt: skip
        try:
            answer = self._ask(order)
        except subprocess.TimeoutExpired:
            raise Refused(
                f"The expression took longer than {self.limit_s:g} s and was ended. Make it "
                "simpler (no repetition inside a repetition), or search for plain text."
            ) from None
        except (subprocess.CalledProcessError, ValueError):
            raise Refused(
                "The search for that expression broke off. Make it simpler, or search for plain text."
            ) from None
        if "error" in answer:
            raise Refused(
                f"That is not a regular expression: {answer['error']}. For plain text leave regex out."
            )
        return tuple((text, line) for text, line in answer["hits"])

    def matches(self, pairs: Sequence[tuple[str, str]]) -> Sequence[bool]:
        """Returns whether each pattern is found anywhere in its text; `WorkbenchError` where that cannot be checked."""
        if self.command is None:
            raise WorkbenchError(tr("Patterns cannot be checked here, so this counts as failed."))
        try:
            found: list[bool] = self._ask({"pairs": list(pairs)})["found"]
        except subprocess.TimeoutExpired:
            raise WorkbenchError(
                tr(
                    "The pattern took longer than {limit_s:g} s and was ended, so this counts as "
                    "failed. Make it simpler: no repetition inside a repetition.",
                    limit_s=self.limit_s,
                )
            ) from None
        except (subprocess.CalledProcessError, ValueError):
            raise WorkbenchError(
                tr(
                    "The search for the pattern broke off, so this counts as failed. Make the pattern simpler."
                )
            ) from None
        return found

    def _ask(self, order: dict[str, Any]) -> dict[str, Any]:
        written = json.dumps(order).encode("ascii")
        assert self.command is not None
        done = subprocess.run(
            self.command, input=written, capture_output=True, timeout=self.limit_s, check=True
        )
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer


def search_command() -> tuple[str, ...] | None:
    """Returns the command that starts the child, isolated and without installed packages.

    None where Python's path is unknown.
    """
    return own_child(_CHILD, "-I", "-S") if sys.executable else None
