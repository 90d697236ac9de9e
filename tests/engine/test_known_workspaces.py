"""The workspaces that are known: found by name, completed once, the same object as long as nothing changed."""

from __future__ import annotations

from dataclasses import replace

from workbench.domain.record import Chat
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.tool import ApprovalRule, Ruling
from workbench.domain.workspace import Fact, Filed, Workspace, template_of
from workbench.engine.known_workspaces import Workspaces

TALK = Chat("talk", "2026-01-01", filed=Filed("b"))


def known() -> Workspaces:
    found = Workspaces()
    for one in (Workspace("b", "Beta"), Workspace("c", "BETA"), Workspace("a", "alpha", deleted_utc="2026")):
        found.note(one)
    return found


def test_a_name_means_one_workspace_or_none():
    found = known()
    assert list(found.all) == ["a", "b", "c"]
    assert found.named("Beta") == Workspace("b", "Beta")
    assert found.named("beta") is None, "two are called so"
    assert found.named("alpha") is None, "it is deleted"
    assert found.named("") is None


def test_a_chat_is_in_its_workspace_and_a_template_too():
    found = known()
    assert found.of(TALK) == Workspace("b", "Beta")
    assert found.of(Chat(template_of("c"), "2026-01-01")) == Workspace("c", "BETA")
    assert found.of(Chat("x", "2026-01-01", filed=Filed("a"))) is None


def test_settings_have_what_the_workspace_adds_until_that_changes():
    found = known()
    found.note(Workspace("b", "Beta", facts=(Fact("f", "One."),)))
    own = ContextSettings()
    first = found.effective(TALK, own)
    assert first.user_memory == "- One."
    found.note(Workspace("b", "Beta"))
    assert found.effective(TALK, own).user_memory == ""


def test_what_was_decided_holds_before_what_is_kept_until_it_is_kept():
    found, never = known(), ApprovalRule(("read",), decision="never")
    allowed = ApprovalRule(("write",), decision="allow")
    asked = ApprovalRule(("read",), "a", "ask")
    old = replace(TALK, filed=Filed("b", rules=(asked, never)))
    found.decided("talk", never)
    found.decided("talk", allowed)
    ruling = found.ruling(old)
    assert ruling.rules[:2] == (never, asked), "the same rule further down is not the one decided now"
    assert ruling.answers == (allowed,)
    found.kept("talk", never)
    found.kept("talk", allowed)
    found.note(Workspace("b", "Beta", rules=(allowed,)))
    new = replace(TALK, filed=Filed("b", rules=(never, asked)))
    assert found.ruling(new) == Ruling((never, asked, allowed)), "each stands where it is kept"
    assert found.ruling(TALK) == Ruling((allowed,)), "what was kept can be taken back"


def test_a_look_at_a_chat_changes_nothing():
    found, never = known(), ApprovalRule(("read",), decision="never")
    ruled = replace(TALK, filed=Filed("b", rules=(never,)))
    found.of(TALK)
    found.surroundings(TALK)
    assert found.ruling(ruled) == Ruling((never,))
    assert found.of(ruled) == Workspace("b", "Beta")


def test_the_model_that_a_variable_names_is_the_one_of_the_settings_in_effect():
    own = ContextSettings(model="word-1", system_prompt="You are {{model}}.")
    chat = replace(TALK, settings=own)
    once = known().effective(chat, replace(own, model="word-2"))
    assert once.system_prompt == "You are word-2."
