"""A vendor's library is loaded without the types that nobody needs, and still has all of them for who asks."""

from __future__ import annotations

import subprocess
import sys

from workbench.providers.wire.late_parts import defer

SCRIPT = """
import sys
from workbench.providers.wire.late_parts import defer
defer("openai", "types", "types.responses")
import openai
client = openai.AsyncOpenAI(api_key="none")
client.models
few = len([name for name in sys.modules if name.startswith("openai.types")])
from openai.types.chat import ChatCompletion
from openai.types.responses.response import Response
whole = openai.types.responses.Response is Response
all_of_them = openai.types.Batch.__module__ == "openai.types.batch"
many = len([name for name in sys.modules if name.startswith("openai.types")])
try:
    openai.types.NothingOfTheKind
except AttributeError as problem:
    print(few * 3 < many, whole, all_of_them, type(openai.types).__name__, "NothingOfTheKind" in str(problem))
"""


def test_types_wait_until_somebody_asks_for_one():
    """They took two thirds of the time before the first request to a server, and 10 MB."""
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert done.stdout == "True True True module True\n"


def test_what_is_loaded_or_not_there_is_left_alone():
    import json

    before = dict(sys.modules)
    defer("json", "decoder")
    defer("no_such_package_here", "types")
    assert json.decoder is sys.modules["json.decoder"]
    assert sys.modules.keys() == before.keys()
