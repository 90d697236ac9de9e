"""The two hottest paths of a keystroke, each so many times over: what `bench_instructions` counts."""

from __future__ import annotations

import gc
import sys

from tests.benchmarks.running.workload import Talk, new_builder, tokenizer, workload
from tests.fakes.chat_model import NoPrices
from tests.fakes.sample_state import CHAT, sample_state
from workbench.engine.assembly.building import Preview
from workbench.engine.assembly.prepare import Prepared
from workbench.engine.events import ChatShown
from workbench.engine.shown.request_view import RequestViewer, Scene
from workbench.engine.store import reduce

TURNS = 50


def rebuild(laps: int) -> list[Prepared]:
    """A letter more, and the request again."""
    talk, preview = Talk(workload(TURNS), new_builder()), Preview(new_builder())
    return [preview.prepare(talk.conversation, talk.ask(number)) for number in range(laps)]


def show(requests: list[Prepared], laps: int) -> None:
    """The view of a request, that of what is attached, and the state that they make; again and again."""
    viewer, scene = RequestViewer(new_builder(), NoPrices()), Scene()
    state = sample_state()
    for number in range(laps):
        prepared = requests[number % len(requests)]
        view, rows = viewer.view_with_attachments(prepared, scene)
        state = reduce(state, ChatShown(CHAT, {"prepared": prepared, "view": view, "attachments": rows}))


if __name__ == "__main__":
    tokenizer()
    gc.disable()
    rebuilds, shows = map(int, sys.argv[1:])
    show(rebuild(rebuilds), shows)
