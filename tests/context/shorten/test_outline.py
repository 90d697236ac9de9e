"""The outline of a run: it keeps every fact of the user's own words, says nothing new, and needs no model."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.effort import tries
from tests.fakes.turns import assistant, result, user
from workbench.context.shorten.compact import NOT_SHORTER, check
from workbench.context.shorten.outline import original_of, outline, summary_messages
from workbench.domain.message import Image, Message, ToolCall

FILLER = "This goes on for a while and says nothing that anybody would need. " * 6
RUN = (
    user("u1", "Hello there. The budget is 4,500 EUR, as Mara said. I like blue. Use refresh_all() on 2026-03-01."),
    assistant("a1", f"Gladly. {FILLER}The budget of 4,500 EUR is fine. It took 17 minutes. {FILLER}"),
    Message("c1", "assistant", (), tool_calls=(ToolCall("k", "read", '{"path": "a.md"}'),)),
    result("r1", "k", "x" * 5_120),
    assistant("a2", f"Done as you wished. {FILLER}"),
)  # fmt: skip


def test_what_matters_stays_in_its_own_words():
    made = outline(summary_messages(RUN)).text
    assert made == "\n".join([
        "User: Hello there.",
        "The budget is 4,500 EUR, as Mara said.",
        "Use refresh_all() on 2026-03-01.",
        "Assistant: Gladly.",
        "The budget of 4,500 EUR is fine.",
        '[read {"path": "a.md"}: 5,120 characters are left out; call it again to have them]',
        "Assistant: Done as you wished.",
    ])  # fmt: skip


def test_pictures_are_told_of():
    seen = Message("u", "user", (f"Look. {FILLER}",), images=(Image("d", 10), Image("e", 10)))
    assert (outline(summary_messages((seen,))).text or "").endswith("[2 pictures]")


def test_what_is_all_facts_is_not_worth_it():
    found = outline(summary_messages((user("u", "Take 5 of a_b."), assistant("a", "Yes."))))
    assert (found.text, found.refusal) == (None, NOT_SHORTER)


PIECES = (
    "Mara wants {n} of them.", "It costs {n}.5 EUR.", "See https://example.org/{n}.", "call run_{n}() now",
    "1. one thing",
    "Dr. Smith came at 1{n}:30.", "- and another on 3 March 202{n}.", "why is that so?", "`x = {n}`",
    "Es kostet {n} Euro.",
    "我用numpy{n}。", "# A Heading Of {n} Words", "He said: “Fine.” Then Tom left.", FILLER,
)  # fmt: skip


SAYS = st.lists(st.tuples(st.sampled_from(PIECES), st.integers(1, 8)), min_size=1, max_size=5)


@given(st.lists(SAYS, min_size=6, max_size=6))
@settings(max_examples=tries(80))
def test_an_outline_passes_its_own_check(says: list[list[tuple[str, int]]]):
    said = ["\n".join(piece.format(n=n) for piece, n in some) for some in says]
    entries = [
        user(f"u{n}", text) if n % 2 == 0 else assistant(f"a{n}", text + FILLER)
        for n, text in enumerate(said)
    ]
    told = summary_messages(entries)
    made = outline(told)
    assert made.text is not None
    assert check(made.text, original_of(told)).holds
