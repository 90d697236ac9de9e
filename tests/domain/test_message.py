"""Messages: parts in neutral form."""

from __future__ import annotations

from workbench.domain.message import ROLES, Message


def test_the_roles_are_the_contract_s():
    assert ROLES == ("system", "user", "assistant", "tool")


def test_text_parts_are_joined_by_a_blank_line():
    assert Message("m", "user", ("one", "two")).text == "one\n\ntwo"


def test_one_part_is_its_own_text():
    assert Message("m", "user", ("one\n",)).text == "one\n"


def test_a_message_without_text_says_nothing():
    assert Message("m", "assistant").text == ""
