"""What a conversation shows over time is learnt from what is new in each request."""

from __future__ import annotations

import pytest

from tests.fakes.passing import Watch, call, messages, passed, result, said, tool
from workbench.context.watch.habits import Habits, copies, path_in
from workbench.context.watch.reading import body_of, read_request


@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        ('{"file_path": "a.py"}', "a.py"),
        ('{"pattern": "x", "path": "src"}', "src"),
        ('{"path": 7}', ""),
        ("[]", ""),
        ("{cut", ""),
    ],
)
def test_the_file_of_a_call(arguments: str, path: str):
    assert path_in(arguments) == path


def test_a_tool_that_comes_late_is_not_blamed_for_earlier_requests():
    watch, habits = Watch(), Habits()
    first = watch.take(said("user", "One?"), tools=[tool("Read")])
    second = watch.take(said("user", "One?"), tools=[tool("Read"), tool("Grep")])
    habits.take(first, 0)
    habits.take(second, 0)

    assert habits.unused_tools(2) == {"Read"}
    assert habits.unused_tools(1) == {"Read", "Grep"}


def test_copies_are_told_by_file_and_by_text():
    exchange = passed(
        1,
        "anthropic",
        messages(
            said(
                "assistant",
                call("Read", "t1", path="a.py"),
                call("Read", "t2", path="a.py"),
                call("Bash", "t3"),
            ),
            said(
                "user", result("t1", "old"), result("t2", "new"), result("t3", "same"), result("t4", "same")
            ),
        ),
    )
    found = copies(read_request(exchange, body_of(exchange)), {"t1": "a.py", "t2": "a.py"})

    assert {name: [one.call for one in some] for name, some in found.items()} == {
        "a.py": ["t1", "t2"],
        "same": ["t3", "t4"],
    }
