"""Facts that a model suggests: priced before, read strictly, kept as suggestions, and in no request until accepted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.engine.workspaces.test_changing import AUTH, OWN, bench, system_text
from tests.fakes.loop import in_calm_loop, until
from workbench.domain.workspace import Filed
from workbench.engine.intents import SendMessage, StartChat
from workbench.engine.tuning_intents import TuneMessages
from workbench.engine.workspace_intents import OfferFacts, SaveWorkspace, StartWorkspace, SuggestFacts
from workbench.engine.workspaces.changing import MOST_FACTS, SYSTEM, read_facts


@in_calm_loop
async def test_they_are_offered_suggested_for_the_workspace_and_told_only_when_accepted():
    one = bench("In cents.", "- Money is in cents.\n- Tokens live 900 s\n- The bank closes at five.", "Yes.")
    await one.workbench.dispatch(StartWorkspace(AUTH, OWN), StartChat("talk", OWN, filed=Filed("w1")))
    await one.do(SendMessage("talk", "How do we count money?"))
    await one.workbench.dispatch(OfferFacts("talk"))
    await until(lambda: one.workbench.state.suggestion is not None)
    offer = one.workbench.state.suggestion
    assert offer is not None
    assert (offer.stage, offer.model, len(one.model.requests)) == ("offered", "word-1", 1)
    assert offer.tokens > 0
    await one.workbench.dispatch(SuggestFacts("talk"))
    await until(lambda: getattr(one.workbench.state.suggestion, "stage", "") == "done")
    asked = one.model.requests[-1]
    assert asked.messages[0].text.strip() == SYSTEM
    assert "How do we count money?" in asked.messages[-1].text
    facts = one.workbench.state.workspaces["w1"].facts
    assert [(fact.text, fact.suggested, fact.chat) for fact in facts[1:]] == [
        ("Money is in cents.", True, "talk"),
        ("The bank closes at five.", True, "talk"),
    ], "what is known already is not suggested again"
    await one.do(SendMessage("talk", "And now?"))
    assert "Money is in cents." not in system_text(one)
    accepted = (*facts[:1], replace(facts[1], suggested=False))
    await one.workbench.dispatch(SaveWorkspace(replace(AUTH, facts=accepted)))
    await one.do(SendMessage("talk", "And then?"))
    assert "- Money is in cents." in system_text(one)
    assert "The bank" not in system_text(one)
    await one.workbench.close()


@in_calm_loop
async def test_what_is_left_out_is_not_read_and_an_answer_that_is_no_list_is_said():
    one = bench("Noted.", "Sure! Here are some facts:\n- You like tea.")
    await one.workbench.dispatch(StartChat("talk", OWN))
    await one.workbench.dispatch(SuggestFacts("talk"))
    await until(lambda: "nothing in this chat" in getattr(one.workbench.state.suggestion, "problem", ""))
    await one.do(SendMessage("talk", "My door code is 4711."))
    question = one.workbench.state.open["talk"].records[0].id
    await one.workbench.dispatch(TuneMessages("talk", leave_out=frozenset({question})), SuggestFacts("talk"))
    await until(
        lambda: "did not answer with a list" in getattr(one.workbench.state.suggestion, "problem", "")
    )
    assert "4711" not in one.model.requests[-1].messages[-1].text
    assert one.workbench.state.everywhere.facts == ()
    await one.workbench.close()


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("NONE", ()),
        ("", None),
        ("-\n- Tea.", None),
        ("* Tea.", None),
        ("- Tea.\n- tea\n- TEA.", ("Tea.",)),
        ("- a\u202eb", ("a b",)),
        ("- " + "x" * 301, ()),
        ("\n".join(f"- Fact {n}" for n in range(30)), tuple(f"Fact {n}" for n in range(MOST_FACTS))),
    ],
)
def test_an_answer_is_read_strictly(said, found):
    assert read_facts(said, ["Coffee"]) == found
