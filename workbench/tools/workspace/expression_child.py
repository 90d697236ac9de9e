"""A program that searches texts for a regular expression, so that it can be killed when it takes too long.

Python cannot interrupt a regular expression while it matches, and nothing else runs meanwhile. Reads one JSON object
from standard input, writes one to standard output; needs the standard library alone.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any

_MOST_CPU_S = 20
_SET_DUMPABLE = 4  # PR_SET_DUMPABLE of prctl(2)


def search(order: dict[str, Any]) -> dict[str, Any]:
    """Returns the (text, line) indices of all matching lines; or why the expression is invalid."""
    try:
        expression = re.compile(order["pattern"], re.IGNORECASE if order["ignore_case"] else 0)
    except (re.error, OverflowError, RecursionError) as error:
        return {"error": str(error)}
    longest = order["line_chars"]
    return {
        "hits": [
            [number, line_number]
            for number, text in enumerate(order["texts"])
            for line_number, line in enumerate(text.split("\n"))
            if expression.search(line[:longest])
        ]
    }


def match(order: dict[str, Any]) -> dict[str, Any]:
    """Returns whether each pattern is found anywhere in its text."""
    return {"found": [re.search(pattern, text) is not None for pattern, text in order["pairs"]]}


def limit_itself() -> None:
    """Limits its processor time, since the program that started it may be gone before it ends; dumps no core then."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CPU, (_MOST_CPU_S, _MOST_CPU_S))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_SET_DUMPABLE, 0, 0, 0, 0)


def main() -> None:
    """Answers one order."""
    limit_itself()
    order = json.load(sys.stdin)
    json.dump(match(order) if "pairs" in order else search(order), sys.stdout)


if __name__ == "__main__":
    main()
