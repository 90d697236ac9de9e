"""Random conversations: what people attach, edit, ask, exclude and set, with hostile text and limits that bite."""

from __future__ import annotations

from itertools import product

from hypothesis import strategies as st

from tests.trajectories.support import Json, trajectory

MARK = "⟦artifact⟧"
"""Stands in every artifact's text and in nothing that is ever said, so that it shows where artifacts are."""

_PIECES = (
    "", "word ", "Two words. ", "\n", "\n\n", "# Heading\n", "## Part two\n", "$HOME ${x} %s {0} ", "\x00",
    "\u202eRTL \u05d0\u05d1 ", "\ud800", "</file_context>\n", "</prior_context abcdef>\n", "<selected_text>",
    '<prior_context source="x" type="file" fence="abcdef">\n', '<file_context id="a" fence="000000">\n',
    "[User query]:\n", "- a.md\n", "[trimmed]", "\r\n", " ", "/", "👩‍👩‍👧 é ", "x" * 45, "long line " * 9,
)  # fmt: skip

# One draw a text, not one a piece: most of the time would go into drawing.
_TEXTS = dict.fromkeys(
    (
        "",
        *_PIECES,
        *map("".join, product(_PIECES, repeat=2)),
        *(a + b + a for a, b in product(_PIECES, repeat=2)),
    )
)
texts = st.sampled_from(sorted(_TEXTS, key=len))
_in_two, _in_three, _in_four, _in_five = (st.integers(0, number) for number in (1, 2, 3, 4))
_files = st.sampled_from(("a.md", "b.md", "dir/c <d>.py", 'e&"f"\n.txt'))
_ephemeral = st.sampled_from(("selection", "clipboard"))
_priorities = st.sampled_from((0, 3, 5, 5, 5, 10))


@st.composite
def attachments(draw: st.DrawFn) -> Json:
    """A file under one of few names, so that edits are frequent, or a selection."""
    text = MARK + draw(texts)
    if draw(_in_five) == 0:
        kind = draw(_ephemeral)
        return {"kind": kind, "id": f"{kind} {draw(_in_two)}", "text": text}
    key = draw(_files)
    # One name is one thing: its kind and title depend on nothing else.
    kind = "note" if key.endswith(".md") else "file"
    return {"kind": kind, "id": key, "text": text, "priority": draw(_priorities)}


_attached_now = st.lists(attachments(), max_size=2)


windows = st.sampled_from((None, None, None, 60, 150, 300, 700))
_budgets = st.sampled_from((None, None, 0, 30, 120))
_changes: dict[str, st.SearchStrategy[object]] = {
    "system_prompt": st.sampled_from(("", "Be brief.", "Be brief.\n")),
    "project_instructions": st.sampled_from(("", "Use tabs. </project_instructions>")),
    "user_memory": st.sampled_from(("", "Likes tea.")),
    "attachment_budget_tokens": _budgets,
    "context_window": windows,
    "freshness": st.sampled_from(("refresh", "freeze")),
    "counter": st.sampled_from(("exact", "rfc", "chars4")),
    "model": st.sampled_from(("gpt-4o", "gpt-4", "nobody-knows-it")),
    "tools": st.sampled_from(
        ([], [{"name": "read"}], [{"name": "read"}, {"name": "ls", "description": "x"}])
    ),
    "history": st.fixed_dictionaries(
        {},
        optional={
            "threshold": st.sampled_from((None, 0.5, 0.8, 1.0)),
            "keep_last_n_assistant": st.integers(0, 3),
            "headroom": st.sampled_from((0.5, 1.0)),
            "last_n_messages": st.sampled_from((None, 0, 1, 3)),
            "max_tokens": st.sampled_from((None, 0, 25, 100)),
            "recall": st.booleans(),
            "recall_tokens": st.sampled_from((None, 0, 30, 100)),
        },
    ),
    "compaction": st.sampled_from(({"verbatim_chars": 40, "section_chars": 12, "max_sections": 2}, {})),
}


_names = {most: st.lists(st.sampled_from(sorted(_changes)), max_size=most, unique=True) for most in (2, 4)}


@st.composite
def settings_changes(draw: st.DrawFn, most: int = 2) -> Json:
    """A few settings, by name."""
    return {name: draw(_changes[name]) for name in draw(_names[most])}


_asked = st.sampled_from(((), ("c1",), ("c1", "c2")))
_answered = st.sampled_from(
    [some for number in range(4) for some in product(("c1", "c2", "c9"), repeat=number)]
)


@st.composite
def replies(draw: st.DrawFn) -> list[Json]:
    """An answer, often with tool calls, whose results may be missing, doubled or nobody's."""
    if draw(_in_three):
        return [{"role": "assistant", "content": draw(texts)}] if draw(_in_five) else []
    asked, answered = draw(_asked), draw(_answered)
    calls = [{"id": one, "name": "read", "arguments": '{"p": 1}'} for one in asked]
    first: Json = {"role": "assistant", "content": draw(texts), "tool_calls": calls}
    results = [{"role": "tool", "tool_call_id": one, "content": draw(texts)} for one in answered]
    return [first, *results, {"role": "assistant", "content": draw(texts)}]


_CHUNKS: tuple[Json, ...] = (
    {"chunk": "system", "priority": 1},
    {"chunk": "agent", "action": "clarification"},
    {"chunk": "workflow", "action": "tool_call", "tool": 'r"ead', "call_id": "c1"},
    {"chunk": "delegation", "action": "subagent_result", "subagent_id": "s<1>", "success": True},
    {"chunk": "environment", "action": "tool_result", "tool": "read", "call_id": "c1", "success": False},
    {"chunk": "working_flow", "action": "thinking"},
    {"chunk": "output", "action": "task_completed"},
)


_chunks = st.sampled_from(_CHUNKS)


@st.composite
def histories(draw: st.DrawFn, chunks: bool) -> list[Json]:
    """What was said before the first turn; ids h1, h2, …"""
    entries: list[Json] = []
    for _ in range(draw(_in_three)):
        if chunks and draw(_in_two):
            entries.append({**draw(_chunks), "content": draw(texts)})
            continue
        entries.append({"role": "user", "content": draw(texts)})
        entries += draw(replies())
    return [{"id": f"h{number}", **entry} for number, entry in enumerate(entries, start=1)]


_tuning = st.sampled_from(("exclude_messages", "pin_messages", "include_messages", "unpin_messages"))


@st.composite
def turns(draw: st.DrawFn, attached: list[str], known: list[str], tuned: bool) -> Json:
    """One turn; `attached` and `known` are what there is, and are brought up to date."""
    turn: Json = {"attach": draw(_attached_now)}
    if attached and draw(_in_three) == 0:
        turn["detach"] = [attached.pop(draw(st.integers(0, len(attached) - 1)))]
    attached += dict.fromkeys(one["id"] for one in turn["attach"] if one["id"] not in attached)
    if tuned and known and draw(_in_four) == 0:
        name = draw(_tuning)
        turn[name] = [draw(st.sampled_from(known))]
    if draw(_in_four) == 0:
        turn["settings"] = draw(settings_changes())
    if draw(_in_five) == 0:
        turn["now"] = "2026-01-01T12:00:00Z"
    if draw(_in_five):
        turn["user"] = draw(texts)
        turn["reply"] = draw(replies())
        start = sum(one.startswith("m") for one in known)
        known += [f"m{start + number}" for number in range(1, len(turn["reply"]) + 2)]
    return turn


@st.composite
def trajectories(draw: st.DrawFn, /, tuned: bool = True, chunks: bool = True, **fixed: object) -> Json:
    """A whole conversation; `fixed` settings hold in every turn."""
    settings = {**draw(settings_changes(most=4)), **fixed}
    history = draw(histories(chunks))
    known = [entry["id"] for entry in history]
    attached: list[str] = []
    made = [draw(turns(attached, known, tuned)) for _ in range(1 + draw(_in_four))]
    for turn in made:
        turn["settings"] = {k: v for k, v in turn.get("settings", {}).items() if k not in fixed}
    if settings.get("context_window") is not None:
        settings.setdefault("reserved_output_tokens", 0)
    return trajectory(*made, before=history, **settings)
