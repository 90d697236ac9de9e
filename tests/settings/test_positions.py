"""Where something stands in a TOML text."""

from __future__ import annotations

import pytest

from workbench.domain.reading.node import JsonPath
from workbench.settings.form import mistake_in, position_of

TEXT = '''\
# model = 1
model = "a"   # [servers]
note = """
[timeouts]
idle_s = 5
"""
list = [
  "x = 1", # }
  2,
]
[timeouts]
  idle_s = 5
context.model = "b"
"connect_s"='[x'
[models."a:b"]
tools = true
[[extra]]
key = 1
[servers]
lab = { url = "x" }
'''


@pytest.mark.parametrize(
    ("place", "position"),
    [
        (("model",), (2, 1)),
        (("list", 1), (7, 1)),
        (("timeouts",), (11, 2)),
        (("timeouts", "idle_s"), (12, 3)),
        (("timeouts", "context", "model"), (13, 1)),
        (("timeouts", "connect_s"), (14, 1)),
        (("models", "a:b", "tools"), (16, 1)),
        (("extra", 0, "key"), (18, 1)),
        (("servers", "lab", "url"), (20, 1)),
        (("absent",), None),
    ],
)
def test_an_entry_is_found_where_it_is_written(place: JsonPath, position: tuple[int, int] | None):
    assert position_of(place, TEXT) == position
    assert position_of(place, TEXT.replace("\n", "\r\n")) == position


@pytest.mark.parametrize(
    ("content", "position"),
    [
        (b'model = "a"\n', None),
        (b"model = \n", (1, 9)),
        (b'model = "a"\nx y\n', (2, 3)),
        (b"a = [1,\n", (2, 1)),
        ("ü = 1\n".encode(), (1, 1)),
        ("# ü\nü\xff".encode("latin-1"), (1, 3)),
    ],
)
def test_a_mistake_is_found_where_it_is(content: bytes, position: tuple[int, int] | None):
    assert mistake_in(content) == position
