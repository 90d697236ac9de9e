"""Rules added to the Markdown reader: a limit on its work, and formulas between \\( \\) and \\[ \\]."""

from __future__ import annotations

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

STEPS = "steps"
MOST_STEPS = 1_200
"""A reader of hostile text may look at each sign many times; after so many looks the rest is plain text."""

# Links are looked at several times, and code and formulas are laid out apart.
_DEAR, DEAR_STEPS = "<[!$`", 4
_PAIRS = {"\\(": ("\\)", "math_inline"), "\\[": ("\\]", "math_inline_double")}


def add_rules(reader: MarkdownIt, formulas: bool = True) -> None:
    """Teach a reader our rules."""
    reader.inline.ruler.before("text", "limit", limit)
    if formulas:
        reader.inline.ruler.before("escape", "bracket_math", bracket_math)
        reader.block.ruler.before(
            "paragraph",
            "bracket_math_block",
            bracket_math_block,
            {"alt": ["paragraph", "reference", "blockquote"]},
        )


def limit(state: StateInline, silent: bool) -> bool:
    """Take all that is left as text once the steps are used up."""
    state.env[STEPS] = state.env.get(STEPS, 0) + (DEAR_STEPS if state.src[state.pos] in _DEAR else 1)
    if state.env[STEPS] <= MOST_STEPS:
        return False
    if not silent:
        state.pending += state.src[state.pos : state.posMax]
    state.pos = state.posMax
    return True


def bracket_math(state: StateInline, silent: bool) -> bool:
    """A formula within a line."""
    opening = state.src[state.pos : state.pos + 2]
    if opening not in _PAIRS:
        return False
    closing, kind = _PAIRS[opening]
    end = state.src.find(closing, state.pos + 2, state.posMax)
    if end < 0 or not state.src[state.pos + 2 : end].strip():
        return False
    if not silent:
        token = state.push(kind, "math", 0)
        token.content = state.src[state.pos + 2 : end]
        token.markup = opening
    state.pos = end + 2
    return True


def bracket_math_block(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """A formula on lines of its own, from a line that begins with \\[ to one that ends with \\]."""
    first = state.src[state.bMarks[start_line] + state.tShift[start_line] : state.eMarks[start_line]]
    if not first.startswith("\\["):
        return False
    lines = [first[2:]]
    line = start_line
    while not lines[-1].rstrip().endswith("\\]"):
        line += 1
        if line >= end_line or state.sCount[line] < state.blkIndent:
            return False
        lines.append(state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]])
    if silent:
        return True
    token = state.push("math_block", "math", 0)
    token.content = "\n".join(lines).rstrip()[:-2]
    token.map = [start_line, line + 1]
    state.line = line + 1
    return True
