"""Steps about workspaces, each taken back as it was: shown over a real engine."""

from __future__ import annotations

from dataclasses import replace

from tests.engine.workspaces.test_changing import AUTH, OWN, bench
from tests.fakes.engine import SETTINGS, Bench
from tests.fakes.loop import in_loop
from workbench.domain.files.attachment import Artifact
from workbench.domain.record import Chat
from workbench.domain.tool import ToolDefinition
from workbench.domain.workspace import Fact, Filed, SavedPrompt, template_of
from workbench.engine.intents import (
    AttachArtifact,
    ChangeSettings,
    DetachArtifacts,
    ListChats,
    OpenChat,
    StartChat,
)
from workbench.engine.workspace_intents import FileChats, StartWorkspace
from workbench.ui import filing
from workbench.ui.steps import Step


async def begun() -> Bench:
    one = bench()
    await one.workbench.dispatch(StartWorkspace(AUTH, OWN))
    for key, filed in (
        ("a", Filed("w1", tags=("x", "y"))),
        ("b", Filed(pinned=True, tags=("y",))),
        ("c", Filed()),
    ):
        await one.workbench.dispatch(StartChat(key, SETTINGS, key.upper(), filed=filed))
    await one.workbench.dispatch(ListChats())
    return one


def filed(one: Bench) -> dict[str, Filed]:
    return {chat.id: chat.filed for chat in one.workbench.state.chats}


async def there_and_back(one: Bench, step: Step | None) -> dict[str, Filed]:
    """What a step makes of the chats; taken back, they are as they were."""
    assert step is not None
    before = filed(one)
    await one.workbench.dispatch(*step.do)
    after = filed(one)
    await one.workbench.dispatch(*step.undo)
    assert filed(one) == before
    return after


@in_loop
async def test_moving_several_chats_is_one_step_and_each_goes_back_to_its_own_place():
    one = await begun()
    state = one.workbench.state
    step = filing.file_chats(state.chats, FileChats(("a", "b", "c"), workspace=""), "a", state)
    after = await there_and_back(one, step)
    assert {key: place.workspace for key, place in after.items()} == {"a": "", "b": "", "c": ""}
    assert step is not None
    assert step.title == "Move “A” out of its workspace"
    pinned = filing.file_chats(state.chats, FileChats(("a", "b", "c"), pinned=True), "a", state)
    assert all(place.pinned for place in (await there_and_back(one, pinned)).values())


@in_loop
async def test_an_open_chat_that_is_moved_gets_back_what_it_had():
    """A file by hand is not lost, one that was taken off does not return, tools of servers are there again."""
    one = await begun()
    spec, own = Artifact("spec.md", "file", "The spec."), Artifact("own.md", "file", "Mine.")
    served = replace(SETTINGS, tools=(ToolDefinition("sums__add", "Adds.", "{}"),))
    await one.workbench.dispatch(
        AttachArtifact(template_of("w1"), spec), AttachArtifact("a", own), ChangeSettings("a", served)
    )
    await one.workbench.dispatch(AttachArtifact("c", spec), AttachArtifact("c", own))

    async def has(chat: str) -> tuple[list[str], tuple[ToolDefinition, ...]]:
        kept = await one.world.store.chat(chat)
        return [held.key for held in await one.world.store.attached(chat)], kept.settings.tools

    for chat, to in (("a", ""), ("c", "w1")):
        await one.workbench.dispatch(DetachArtifacts("a", ("spec.md",)), OpenChat(chat), ListChats())
        state, before = one.workbench.state, await has(chat)
        step = filing.file_chats(state.chats, FileChats((chat,), workspace=to), chat, state)
        assert step is not None
        await one.workbench.dispatch(*step.do)
        await one.workbench.dispatch(*step.undo)
        assert await has(chat) == before
    assert await has("a") == (["own.md"], served.tools)
    assert await has("c") == (["spec.md", "own.md"], ())


@in_loop
async def test_tags_that_only_some_have_stay_with_them():
    one = await begun()
    chats: list[Chat] = [chat for chat in one.workbench.state.chats if chat.id in "ab"]
    assert filing.common_tags(chats) == ("y",)
    after = await there_and_back(one, filing.tag_chats(chats, ("new",), "a"))
    assert (after["a"].tags, after["b"].tags) == (("new", "x"), ("new",))


@in_loop
async def test_a_deleted_workspace_comes_back_with_its_chats():
    one = await begun()
    step = filing.delete_workspace(AUTH, "a")
    await one.workbench.dispatch(*step.do)
    assert one.workbench.state.workspaces == {}
    await one.workbench.dispatch(*step.undo)
    assert list(one.workbench.state.workspaces) == ["w1"]
    assert filed(one)["a"].workspace == "w1"


@in_loop
async def test_facts_names_and_prompts_are_steps_of_the_page():
    one = await begun()
    place = one.workbench.state.workspaces["w1"]
    added = filing.with_fact(place, Fact("f2", "Mara reviews."))
    gone = filing.without_fact(place, "f1")
    named = filing.rename_workspace(place, "  Sign  in ")
    for step, seen in (
        (added, lambda now: [fact.id for fact in now.facts] == ["f1", "f2"]),
        (gone, lambda now: not now.facts),
        (named, lambda now: now.name == "Sign in"),
    ):
        assert step is not None
        assert step.chat == template_of("w1")
        await one.workbench.dispatch(*step.do)
        assert seen(one.workbench.state.workspaces["w1"])
        await one.workbench.dispatch(*step.undo)
        assert replace(one.workbench.state.workspaces["w1"], made_utc="") == AUTH
    assert filing.rename_workspace(place, place.name) is None
    first, second = SavedPrompt("Review", "Look at it.", "w1"), SavedPrompt("Check", "Look.", "w1")
    for step, names in (
        (filing.save_prompt(first, None), ["Review"]),
        (filing.save_prompt(second, first), ["Check"]),
        (filing.delete_prompt(second), []),
    ):
        await one.workbench.dispatch(*step.do)
        assert [prompt.name for prompt in one.workbench.state.prompts] == names
        await one.workbench.dispatch(*step.undo)
        await one.workbench.dispatch(*step.do)
