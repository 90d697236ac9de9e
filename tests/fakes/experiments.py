"""An experiment as the engine tells it: two variants, two models, one answer that waits."""

from __future__ import annotations

from tests.fakes.compared import MINI
from tests.fakes.sample_state import CHAT
from workbench.domain.experiment import Cell, Experiment, Plan
from workbench.domain.shown.comparison import ExperimentView

LONG = "The 60 s bound is read from the local clock. It is behind, so the loop never ends: lines 118, 131 and 144."
OTHER = "The 60 s bound is read from the local clock. It is slow, so the loop never ends: lines 118, 131, 144 and 152."
CHECKS = (("contains line", True), ("lacks 152", True))
CELLS = (
    Cell("As sent", "gpt-4.1", 1, "complete", LONG, 6_392, 6_363, 212, 400.0, 4_100.0, 0.0049, CHECKS),
    Cell("As sent", "nano", 1, "failed", problem="The server answered 529: overloaded."),
    Cell(MINI.name, "gpt-4.1", 1, "complete", OTHER, 6_842, 3_071, 204, 300.0, 2_300.0, 0.0021,
         (CHECKS[0], ("lacks 152", False))),
    Cell(MINI.name, "nano", 1),
)  # fmt: skip
EXPERIMENT = Experiment(CHAT, 7, CELLS, 0.02, 0.05, 0.007)


def experiment_view(question: str, **changes: object) -> ExperimentView:
    told = {"stage": "done", "requests": 4, "tokens": 26_468, "done": 3, "found": EXPERIMENT, **changes}
    return ExperimentView(CHAT, question, "", Plan((MINI,)), **told)  # type: ignore[arg-type]
