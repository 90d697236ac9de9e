"""A measured prompt shared out: every token belongs to a segment, and every sum is the server's."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.effort import tries
from tests.fakes.served import prompt_of
from tests.fakes.turns import artifact, assistant, build, fake_builder, user
from workbench.context.count.measure import attribute
from workbench.context.invariants import violations
from workbench.domain.caching import Measurement
from workbench.domain.change import Built
from workbench.domain.envelope import Envelope
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.tool import ToolDefinition
from workbench.domain.turn import Tuning
from workbench.engine.assembly.prepare import Ask, prepare_turn
from workbench.engine.conversation import Conversation, after_turn

SETTINGS = ContextSettings(model="word-1", system_prompt="Be kind.", context_window=100_000)
WIDE = replace(WORD_MODEL, context_window_tokens=100_000)
TALK = (user("u1", "first question"), assistant("a1", "first answer"))


def measured(prompt: str) -> Measurement:
    """A token is a control token, a word with its blank, or a single sign."""
    ends = tuple(match.end() for match in re.finditer(r"<\|\w+\|>|\s?\w+|[^\w]", prompt))
    return Measurement(prompt, ends, 0)


def full(settings: ContextSettings = SETTINGS, **changes: Any) -> Built:
    given_ = {
        "history": TALK,
        "question": user("q", "and now?"),
        "attached": (artifact("a.md", "some text"),),
    }
    return build(settings, **{**given_, **changes})


def tokens(envelope: Envelope) -> dict[str, int]:
    return {
        segment.id: count
        for layer in envelope.layers
        for segment, count in zip(layer.segments, layer.tokens, strict=True)
    }


def check_sums(built: Built, envelope: Envelope, measurement: Measurement) -> None:
    assert envelope.total_tokens == measurement.prompt_tokens
    assert sum(layer.total_tokens for layer in envelope.layers) == measurement.prompt_tokens
    assert envelope.exact
    assert violations(Built(built.inputs, envelope)) == ()
    assert envelope.messages == built.envelope.messages


def test_every_segment_gets_its_text_and_the_framing_before_it():
    built = full(attached=())
    prompt = prompt_of(built.envelope.messages)
    measurement = measured(prompt)
    envelope = attribute(built.envelope, measurement)
    check_sums(built, envelope, measurement)
    parts = re.split(r"(?<=Be kind\.)|(?<=first question)|(?<=first answer)", prompt)
    expected = [measured(part).prompt_tokens for part in parts]
    assert list(tokens(envelope).values()) == expected


def test_what_the_template_writes_by_itself_goes_to_the_first_segment():
    built = full(replace(SETTINGS, system_prompt=""), attached=())
    measurement = measured(prompt_of(built.envelope.messages))
    assert "Be brief." in measurement.prompt
    envelope = attribute(built.envelope, measurement)
    check_sums(built, envelope, measurement)
    assert tokens(envelope)["u1"] > measured("Be brief.").prompt_tokens


def test_texts_that_the_template_trims_are_given_their_share():
    built = full(question=user("q", "  padded  "), attached=())
    prompt = prompt_of(built.envelope.messages).replace("  padded  ", "padded")
    envelope = attribute(built.envelope, measured(prompt))
    check_sums(built, envelope, measured(prompt))
    assert tokens(envelope)["q"] > 0


def test_announced_tools_share_what_stands_before_the_first_text():
    built = full(
        replace(SETTINGS, tools=(ToolDefinition("read", "reads"), ToolDefinition("write", "writes")))
    )
    prompt = "TOOLS: read reads, write writes.\n" + prompt_of(built.envelope.messages)
    envelope = attribute(built.envelope, measured(prompt))
    check_sums(built, envelope, measured(prompt))
    shares = tokens(envelope)
    assert (
        shares["tool:read"] + shares["tool:write"]
        >= measured("TOOLS: read reads, write writes.").prompt_tokens
    )


def test_in_a_log_every_copy_gets_its_own_tokens():
    """Layer by layer, a file that came late was looked for first, and what stood before it was not found after it."""
    log = replace(SETTINGS, layout="append_only")
    builder, conversation = fake_builder(WIDE), Conversation("talk")
    texts = (None, "old words here", "other words of another file " * 9)
    for number, text in enumerate(texts, 1):
        held = () if text is None else (artifact("a.md", text),)
        conversation = replace(conversation, attached=held)
        asked = user(f"q{number}", f"question number {number} " * number)
        built = prepare_turn(conversation, Ask(log, asked, card=WIDE), builder).built
        conversation = after_turn(conversation, built, [assistant(f"a{number}", f"answer number {number}")])
    made = conversation.previous
    assert made is not None
    prompt = "".join(f"<|{message.role}|>{message.content}" for message in made.envelope.messages)
    envelope = attribute(made.envelope, measured(prompt))
    check_sums(made, envelope, measured(prompt))
    rows = [row for layer in envelope.layers for row in zip(layer.segments, layer.tokens, strict=True)]
    assert [segment.id for segment, _ in rows].count("a.md") == 2
    for segment, count in rows:
        own = measured(segment.lead + segment.text).prompt_tokens
        assert own - 1 <= count <= own + 2, (segment.id, count, own)


def test_a_prompt_in_which_nothing_is_found_is_shared_out_as_the_estimates_were():
    built = full()
    measurement = measured("nothing of it " * 20)
    envelope = attribute(built.envelope, measurement)
    check_sums(built, envelope, measurement)
    assert all(count > 0 for count in tokens(envelope).values())


def test_what_is_not_sent_costs_nothing():
    built = full(attached=(), tuning=Tuning(excluded=frozenset({"a1"})))
    measurement = measured(prompt_of(built.envelope.messages))
    assert tokens(attribute(built.envelope, measurement))["a1"] == 0


def test_a_token_inside_a_character_belongs_to_it():
    built = full(question=user("q", "漢字"), attached=())
    prompt = prompt_of(built.envelope.messages)
    at = prompt.index("漢")
    ends = (*(e for e in measured(prompt).ends if e <= at), at, at, at + 1, at + 1, at + 2)
    rest = tuple(e for e in measured(prompt).ends if e > at + 2)
    measurement = Measurement(prompt, (*ends, *rest), 0)
    check_sums(built, attribute(built.envelope, measurement), measurement)


@settings(max_examples=tries(80))
@given(
    question=st.text(alphabet="ab \n漢<|", max_size=12),
    answer=st.text(alphabet="ab \n漢<|", max_size=12),
    prompt=st.one_of(st.none(), st.text(alphabet="ab \n漢<|", max_size=60)),
)
def test_whatever_the_template_does_the_sums_hold(question: str, answer: str, prompt: str | None):
    built = full(history=(user("u1"), assistant("a1", answer or "x")), question=user("q", question))
    measurement = measured(prompt_of(built.envelope.messages) if prompt is None else prompt)
    check_sums(built, attribute(built.envelope, measurement), measurement)
