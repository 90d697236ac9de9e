"""What fits is sent: without a cache to spare nothing is cut, shortened or dropped that has room, turn after turn."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.effort import tries
from tests.trajectories.support import Json, layer, run, trajectory

UNKNOWN = "nobody-knows-it"
WINDOW, ENDLESS = 4_000, 10_000_000
_ROUNDING = 64
"""Tokens: the line about what left is reckoned a little larger, and labels come along with a text."""


def text_of(sentences: int, name: str) -> str:
    return " ".join(f"{name}{number} said." + "\n\n" * (number % 40 == 39) for number in range(sentences))


@st.composite
def full_chats(draw: st.DrawFn) -> list[Json]:
    """Turns of a chat whose files and answers come to more than its window now and then; lengths, not texts."""
    sizes, names = st.sampled_from((20, 200, 600, 900, 1500)), st.sampled_from(("a.md", "b.md", "c.md"))
    made: list[Json] = []
    for _ in range(draw(st.integers(2, 7))):
        turn: Json = {"user": draw(st.sampled_from((3, 30, 200)))}
        if draw(st.integers(0, 2)) == 0:
            turn["attach"] = [(draw(names), draw(sizes), draw(st.sampled_from((3, 5, 5, 10))))]
        turn["reply"] = draw(st.sampled_from((5, 60, 250)))
        turn["result"] = draw(st.sampled_from((0, 0, 0, 30, 600)))
        made.append(turn)
    return made


def written(turns: list[Json]) -> list[Json]:
    """The turns of a trajectory, with texts of those lengths."""
    return [
        {
            "user": text_of(one["user"], "q"),
            "attach": [
                {"kind": "file", "id": name, "text": text_of(size, name[0]), "priority": priority}
                for name, size, priority in one.get("attach", ())
            ],
            "reply": [
                *used(one["result"], number),
                {"role": "assistant", "content": text_of(one["reply"], "r")},
            ],
        }
        for number, one in enumerate(turns)
    ]


def used(sentences: int, number: int) -> list[Json]:
    """A tool that was called, and what it gave back."""
    if not sentences:
        return []
    call = {"id": f"c{number}", "name": "read", "arguments": "{}"}
    result = {"role": "tool", "tool_call_id": call["id"], "content": text_of(sentences, "t")}
    return [{"role": "assistant", "content": "", "tool_calls": [call]}, result]


def replayed(turns: list[Json], window: int) -> list[Json]:
    history = {"when_full": "exchanges", "keep_last_n_assistant": 2}
    fixed: Json = {
        "model": UNKNOWN,
        "context_window": window,
        "reserved_output_tokens": 0,
        "history": history,
    }
    return run(trajectory(*written(turns), **fixed))


def exchange_tokens(whole: Json) -> list[int]:
    """What each earlier exchange costs, the oldest first."""
    costs: list[int] = []
    for one in layer(whole, "L4")["segments"]:
        costs += [0] if one["kind"] == "user" else []
        costs[-1] += one["tokens"]
    return costs


@settings(max_examples=tries(60))
@given(full_chats())
def test_what_fits_is_sent_whole_in_every_turn(turns: list[Json]):
    """Of a file that was asked about 3,442 of 8,781 tokens were sent, with 7,226 free."""
    for now, whole in zip(replayed(turns, WINDOW), replayed(turns, ENDLESS), strict=True):
        limit, total = now["threshold_tokens"], now["total_tokens"]
        if whole["total_tokens"] <= limit:
            assert now["messages"] == whole["messages"]
        for one in (*now["compacted"], *now["pruned"]):
            missing = one.get("from_tokens", one.get("tokens", 0)) - one.get("to_tokens", 0)
            assert total + missing > limit - _ROUNDING, one
        left = [one["id"] for one in layer(now, "L4")["segments"] if one["form"] == "trimmed"]
        if left:
            gone = sum(one["id"] in left and one["kind"] == "user" for one in layer(whole, "L4")["segments"])
            assert total + exchange_tokens(whole)[gone - 1] > limit - _ROUNDING


_sizes = st.lists(st.tuples(st.integers(600, 9_000), st.sampled_from((3, 5, 5, 10))), min_size=2, max_size=6)


@settings(max_examples=tries(100))
@given(_sizes, st.sampled_from((UNKNOWN, "gpt-4o")), st.sampled_from((None, 3_000)))
def test_files_of_one_priority_share_the_room(files: list[tuple[int, int]], model: str, budget: int | None):
    """Of three files of one priority one was sent whole, and of another 282 of 6,787 tokens."""
    attached = [
        {"kind": "file", "id": f"{number}.md", "text": text_of(size, f"f{number}x"), "priority": priority}
        for number, (size, priority) in enumerate(files)
    ]
    limits: Json = {"context_window": 20_000, "reserved_output_tokens": 0, "attachment_budget_tokens": budget}
    (report,) = run(trajectory({"attach": attached, "user": "What is in them?"}, model=model, **limits))
    sent = {one["id"]: (one["tokens"], one["form"]) for one in layer(report, "L3")["segments"]}
    for priority in {priority for _, priority in files}:
        alike = [
            sent[f"{n}.md"] for n, (_, other) in enumerate(files) if other == priority and f"{n}.md" in sent
        ]
        equal = sum(tokens for tokens, _ in alike) / max(1, len(alike))
        if any(tokens > equal for tokens, _ in alike):
            assert all(tokens >= equal / 2 for tokens, form in alike if form == "compacted"), (priority, sent)
