"""The two hottest paths of a keystroke, so many times over: what `bench_instructions` counts."""

from __future__ import annotations

import gc
import sys

from tests.benchmarks.running.workload import Talk, new_builder, tokenizer, workload
from tests.fakes.chat_model import NoPrices
from tests.fakes.sample_state import CHAT, sample_state
from workbench.engine.build.preview import Preview
from workbench.engine.events import EnvelopeBuilt, RequestShown
from workbench.engine.reduce import reduce
from workbench.engine.shown.request_view import RequestViewer, Scene

TURNS, MOST = 50, 120


def rebuild(laps: int) -> None:
    """A letter more, and the request again."""
    talk, preview = Talk(workload(TURNS), new_builder()), Preview(new_builder())
    for number in range(laps):
        preview.prepare(talk.conversation, talk.ask(number))


def show(laps: int) -> None:
    """The view of each request, its values and those of what is attached, and the state that both make."""
    talk, preview = Talk(workload(TURNS), new_builder()), Preview(new_builder())
    viewer, scene = RequestViewer(new_builder(), NoPrices()), Scene()
    # As many requests whatever the laps: only the views are counted.
    requests = [preview.prepare(talk.conversation, talk.ask(number)) for number in range(MOST)]
    state = sample_state()
    for prepared in requests[:laps]:
        view = viewer.view(prepared, scene)
        state = reduce(state, EnvelopeBuilt(CHAT, prepared))
        state = reduce(state, RequestShown(CHAT, view, viewer.attachments(prepared, view, scene)))


PATHS = {"keystroke rebuild": rebuild, "view values and reduce": show}

if __name__ == "__main__":
    tokenizer()
    gc.disable()
    PATHS[sys.argv[1]](int(sys.argv[2]))
