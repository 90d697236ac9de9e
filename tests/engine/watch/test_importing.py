"""Sessions on disk become watched conversations, with what was used, and what compaction removed."""

from __future__ import annotations

from tests.context.watch.test_claude_session import File, compacted, session, text
from tests.context.watch.test_codex_session import LINES
from tests.fakes.passing import shipped
from tests.fakes.tokenizer import WordTokenizer
from workbench.domain.watch.request import WatchedTurn
from workbench.domain.watch.switch import SessionKind
from workbench.engine.watch.importing import import_sessions
from workbench.engine.watch.understanding import Knowledge, json_line


def imported(kind: SessionKind, *files: list[str]) -> list[list[WatchedTurn]]:
    knowledge = Knowledge(*shipped(), lambda name: WordTokenizer())
    found = import_sessions(kind, ((f"{n}.jsonl", lines) for n, lines in enumerate(files)), knowledge)
    return [list(one.turns) for one in found]


def test_a_session_is_a_conversation_that_goes_on():
    [[first, second]] = imported("claude", session().lines)

    assert first.conversation == second.conversation
    assert [one.against.relation for one in (first, second)] == ["first", "extended"]
    assert first.client == "claude-cli/2.1.197"
    assert second.cost is not None


def test_what_a_session_does_not_keep_has_the_tokens_that_are_left():
    """Neither the system prompt nor the tools are on disk: the report says how large they were."""
    [[first, _]] = imported("claude", session().lines)

    assert first.request.tokens == 910
    assert first.request.pieces[0].text == "(not in the session file)"
    assert first.request.pieces[0].tokens > 800
    [[first, second]] = imported("codex", LINES)
    assert (first.request.tokens, second.request.tokens) == (900, 950)
    assert json_line(first)["tokens"] != json_line(second)["tokens"]


def test_what_a_compaction_removed_can_be_attached_again():
    [turns] = imported("claude", compacted())

    assert turns[-1].against.causes == ("history",)
    assert turns[-1].against.removed.startswith("User:\nWhat does a.py do?\n\n")
    assert turns[-1].against.removed.endswith("Assistant:\nIt passes.")


def test_a_sub_agents_file_finds_its_session():
    agent = File()
    agent.user("Look around.", isSidechain=True, agentId="a1")
    agent.answer("msg_1", text("Done."), isSidechain=True, agentId="a1")

    [[main, _], [sub]] = imported("claude", session().lines, agent.lines)

    assert sub.parent == main.conversation


def test_the_same_file_gives_the_same_conversation_again():
    one, other = (imported("claude", session().lines)[0][0] for _ in range(2))

    assert one.conversation == other.conversation


def test_a_file_without_requests_is_left_out_unless_it_is_damaged():
    knowledge = Knowledge(*shipped(), lambda name: WordTokenizer())
    found = list(import_sessions("claude", [("a", []), ("b", ["{cut"])], knowledge))

    assert [(one.file, one.notes) for one in found] == [("b", ("1 line is damaged.",))]
