"""The branch in view: from the leaf up, without what is deleted, as plain words."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.archives import full_archive, plain_archive
from tests.fakes.turns import assistant, user
from workbench.domain.chunk import EnvironmentChunk
from workbench.domain.message import Message
from workbench.engine.exchange.branch import active_branch, role_and_texts


def test_only_the_branch_in_view_is_there():
    archive = full_archive()
    assert [record.id for record in active_branch(archive)][-4:] == ["q3", "a3", "r3", "e3"]
    other = replace(archive, chat=replace(archive.chat, leaf="gone"))
    assert [record.id for record in active_branch(other)] == ["q1", "a1", "r1", "e1", "other"]


def test_a_chat_without_a_leaf_has_no_branch():
    archive = plain_archive(user("q"))
    assert active_branch(replace(archive, chat=replace(archive.chat, leaf=None))) == ()


def test_messages_that_answer_each_other_end_all_the_same():
    archive = plain_archive(user("q"), assistant("a"))
    circle = replace(archive, records=(replace(archive.records[0], parent="a"), archive.records[1]))
    assert [record.id for record in active_branch(circle)] == ["q", "a"]


def test_a_chunk_counts_as_words_of_its_role():
    assert role_and_texts(EnvironmentChunk("e", "res\ud800ult", "tool_result")) == ("user", ("res\ufffdult",))
    assert role_and_texts(Message("m", "tool", ("a", "b"))) == ("tool", ("a", "b"))
