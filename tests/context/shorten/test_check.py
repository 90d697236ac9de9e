"""The door of every compaction: what is new or lost is refused, in words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.context.shorten.compact import NOT_RECOVERABLE, NOT_SHORTER, Original, check, enforced

ASKED = "Mara said the budget is 1,234.5 EUR for 300 ms on 3 January 2024; call `refresh()` at 15:00."
ANSWERED = "I will call it then. " * 20


def test_what_is_lost_and_what_is_new_is_said_in_words():
    found = check(
        "Mara: budget of 1234.5, 300 ms, refresh() on 2024-01-04", Original((ASKED, ANSWERED), (ASKED,))
    )
    assert found.words == (
        "lost from your messages: 1,234.5 EUR, 3 January 2024, 15:00; not in the original: 2024-01-04"
    )


def test_facts_that_only_answers_have_may_go():
    answered = "It takes 17 minutes on node-7."
    assert check("Mara wants 3.", Original(("Mara wants 3.", answered), ("Mara wants 3.",))).holds


def test_a_name_that_opens_a_sentence_and_that_nobody_said_is_new():
    original = Original(("Mara bought the house. please fix it",), ())
    assert check("Peter bought the house.", original).invented == ("Peter",)
    assert check(
        "They said so. Fixed it. Discussed it. Buying: still open. Houses are bought.", original
    ).holds


@pytest.mark.parametrize("name", ["Marcus", "Martin", "Carter", "Turner", "Approva"])
def test_a_name_is_new_however_its_first_letters_are_written_elsewhere(name: str):
    """The first four letters of any word let an invented name pass: Marcus, where it is march."""
    original = Original(("the cart left in march for the mart; turn it, and approve the budget",), ())
    assert check(f"{name} approved the budget.", original).invented == (name,)


@pytest.mark.parametrize(
    "opening",
    [
        "Marks",
        "Carts",
        "Retries",
        "Turns",
        "Approval",
        "Approves",
        "Developers",
        "Migrations",
        "Caches",
        "Bugs",
    ],
)
def test_another_form_of_a_word_may_open_a_sentence(opening: str):
    said = "the cart was marked; turn it, retry, approve, develop and migrate; caching has a bug"
    assert check(f"{opening} came up.", Original((said,), ())).holds


def test_other_forms_are_known_in_other_languages():
    said = "le serveur est lent et nous devons décider avec les équipes de la société pour la suite"
    assert check("Serveurs lents.", Original((said,), ())).holds
    assert check("Serval décide.", Original((said,), ())).invented == ("Serval",)


def test_numbers_in_words_that_the_user_wrote_must_stay():
    own = "we have twenty servers and tried it once"
    assert check("There are servers.", Original((own,), (own,))).lost == ("twenty",)
    assert check("There are 20 servers.", Original((own,), (own,))).holds
    assert check("There are 20 servers, 11 tries.", Original((own,), (own,))).invented == ("11",)


def test_a_long_list_is_named_in_part():
    own = " and ".join(f"item_{number}" for number in range(12))
    assert check("Nothing.", Original((own,), (own,))).words.endswith("item_7 and 4 more")


def test_every_rule_has_its_words():
    original = Original((ASKED, ANSWERED), (ASKED,), must_say=("read a.md",))
    assert enforced("read a.md", Original(original.texts, recoverable=False)).refusal == NOT_RECOVERABLE
    assert enforced(ASKED + ANSWERED, original).refusal == NOT_SHORTER
    assert enforced("short", original).refusal == "It does not say: read a.md."
    assert enforced("read a.md", original).refusal.startswith("lost from your messages: 1,234.5 EUR")
    assert enforced(f"{ASKED} (read a.md)", original).text == f"{ASKED} (read a.md)"


@given(st.text(max_size=300))
def test_a_text_keeps_its_own_facts(text: str):
    assert check(text, Original((text,), (text,))).holds
