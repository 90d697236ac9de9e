"""ShareGPT's collections, out and in."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.archives import fresh, full_archive, plain_archive
from tests.fakes.turns import assistant, result, user
from workbench.engine.exchange.sharegpt_format import export_sharegpt, import_sharegpt


def spoken(archive: Any) -> list[tuple[str, str]]:
    return [(record.entry.role, record.entry.text) for record in archive.records]


def test_everybody_has_their_name():
    archive = plain_archive(user("q", "Hi"), assistant("a", "Yes", "c"), result("r", "c", "text"))
    assert json.loads(export_sharegpt([archive])) == [
        {
            "id": "talk",
            "conversations": [
                {"from": "human", "value": "Hi"},
                {"from": "gpt", "value": "Yes"},
                {"from": "tool", "value": "text"},
            ],
        }
    ]


def test_it_comes_back():
    archive = full_archive()
    back = import_sharegpt(json.loads(export_sharegpt([archive])), fresh())
    assert back.problems == ()
    assert (back.archives[0].chat.id, back.archives[0].chat.settings.system_prompt) == (
        "talk",
        archive.chat.settings.system_prompt,
    )
    assert spoken(back.archives[0]) == [(r.entry.role, r.entry.text) for r in archive.records[:12]]  # type: ignore[union-attr]


def test_a_collection_as_it_circulates_is_understood():
    document = [
        {"id": "QWJhYvA_0", "conversations": [
            {"from": "human", "value": "Summarize"}, {"from": "gpt", "value": "Sure"},
            {"from": "bard", "value": "Me too"},
        ]},
        {"id": "QWJhYvA_0", "system": "Be kind", "conversations": [{"from": "alien", "value": "?"}, {"from": "human"}]},
        {"id": "empty"},
    ]  # fmt: skip
    back = import_sharegpt(document, fresh())
    assert [archive.chat.id for archive in back.archives] == ["QWJhYvA_0", "id4"]
    assert spoken(back.archives[0]) == [("user", "Summarize"), ("assistant", "Sure"), ("assistant", "Me too")]
    assert back.archives[1].chat.settings.system_prompt == "Be kind"
    assert back.problems == (
        "chat 2, entry 1: who said it is unknown; kept as the user's",
        "chat 2, entry 2: it has no text; left out",
        "chat 3: it has no list of conversations; left out",
    )


@given(
    st.recursive(
        st.none() | st.integers() | st.sampled_from(["human", "gpt", "x"]),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["conversations", "from", "value", "id", "system", "title"]),
                inner,
                max_size=4,
            )
        ),
        max_leaves=20,
    )
)
def test_no_document_ends_in_a_traceback(document: Any):
    import_sharegpt(document, fresh())
    import_sharegpt([{"conversations": document}], fresh())


def test_fields_that_mean_nothing_here_are_named():
    entries = [{"from": "human", "value": "Why?", "weight": 1}]
    back = import_sharegpt({"conversations": entries, "tags": ["x"]}, fresh())
    assert back.problems == (
        "1 × field “tags” of a chat: left out",
        "1 × field “weight” of a message: left out",
    )
