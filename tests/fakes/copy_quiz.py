"""Questions about files that were edited, put to a real model: does it answer from the copy that counts?

The same questions in every layout; only what is asked last goes to the model, what was said before is written down.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from random import Random  # noqa: TID251 - seeded

from tests.trajectories.prepared_turns import prepared_turns
from tests.trajectories.support import Json, file, trajectory
from workbench.context.outgoing import model_request
from workbench.domain.answer import TextGrew
from workbench.domain.request import ModelRequest, RequestMessage
from workbench.providers.builtin.model import BuiltinModel

WAYS: dict[str, Json] = {
    "layered": {"layout": "layered"},
    "append_only, full copies": {"layout": "append_only", "edits": "full"},
    "append_only, changes": {"layout": "append_only", "edits": "changes"},
}
_THINGS = (
    "door",
    "lamp",
    "tree",
    "chair",
    "boat",
    "house",
    "shirt",
    "clock",
    "fence",
    "table",
    "horse",
    "roof",
)
_COLOURS = (
    "red",
    "blue",
    "green",
    "black",
    "white",
    "yellow",
    "brown",
    "pink",
    "orange",
    "purple",
    "grey",
    "gold",
)
_FILES = ("garden.txt", "rooms.txt", "things.txt", "list.txt")
_LISTED = 4
PROSE = """These are the colours of all things that we have in this place, one on each line, as they are painted now.
Whoever paints something writes its new colour here on the same day, and nowhere else, so that everybody knows.
Nobody has to ask anybody else about any of them, and all of us are glad about that.
List:
"""
_ANSWER_TOKENS = 3


@dataclass(frozen=True, slots=True)
class Question:
    """One of the quiz: the file as it was at each turn, what is asked last, and the values it had."""

    path: str
    name: str
    texts: tuple[str, ...]
    values: tuple[str, ...]

    @property
    def words(self) -> str:
        """What is asked."""
        return f"Which colour has the {self.name} in {self.path} now?"

    @property
    def begun(self) -> str:
        """How the answer begins, which is given: so small a model would talk about something else."""
        return f"{self.name} ="

    def is_right(self, answer: str) -> bool:
        """Whether the newest value was answered, and none that it had before."""
        return self.values[-1] in answer and not self.is_outdated(answer)

    def is_outdated(self, answer: str) -> bool:
        """Whether a value was answered that it had before."""
        return any(old in answer for old in self.values[:-1])


def questions(number: int, head: str = PROSE, seed: int = 1) -> list[Question]:
    """So many: a value edited once or twice, asked for at once or a turn later.

    Under a long `head`, changes are short beside the whole text, and may be sent in its place.
    """
    random = Random(seed)
    made = []
    for place in range(number):
        values = {one: random.choice(_COLOURS) for one in random.sample(_THINGS, _LISTED)}
        name = random.choice(list(values))
        asked = random.sample(_COLOURS, 2 + place % 2)
        texts = [head + _written(values | {name: one}) for one in asked]
        if place % 3 == 2:
            texts.append(texts[-1])  # asked for a turn after the edit
        made.append(Question(random.choice(_FILES), name, tuple(texts), tuple(asked)))
    return made


def _written(values: dict[str, str]) -> str:
    return "".join(f"{name} = {value}\n" for name, value in values.items())


def document(question: Question, way: str) -> Json:
    """The talk before it, as a trajectory that ends with the question."""
    asked = [{"user": "Please keep this file in mind.", "attach": [file(question.path, question.texts[0])]}]
    for before, text in pairwise(question.texts):
        changed = [file(question.path, text)] if text != before else []
        asked.append({"user": "I changed it." if changed else "Thank you.", "attach": changed})
    asked[-1]["user"] = question.words
    turns = [{"reply": [{"role": "assistant", "content": "Done."}], **turn} for turn in asked]
    return trajectory(*turns, model="builtin", system_prompt="You answer from the files.", **WAYS[way])


def request_of(question: Question, way: str) -> ModelRequest:
    """What the model is asked."""
    built = prepared_turns(document(question, way))[-1].built
    steady = {"temperature": 0, "seed": 1}
    request = model_request(built)
    begun = RequestMessage("begun", "assistant", question.begun)
    return replace(
        request,
        messages=(*request.messages, begun),
        max_output_tokens=_ANSWER_TOKENS,
        parameters=steady,
    )


async def answer_to(question: Question, way: str, model: BuiltinModel) -> str:
    """What the model says."""
    parts = [part async for part in model.stream(request_of(question, way))]
    return "".join(part.text for part in parts if isinstance(part, TextGrew))


async def answers(asked: list[Question], way: str, model: BuiltinModel) -> list[str]:
    """What the model says to each."""
    return [await answer_to(one, way, model) for one in asked]
