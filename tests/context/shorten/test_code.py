"""Code in short: every signature before any body, and bodies whole."""

from __future__ import annotations

from workbench.context.shorten.code import plan_code
from workbench.context.shorten.pieces import Pieces

PYTHON = '''"""What this module is for."""

import os
from sys import (
    path,
)

LIMIT = 3


@decorated
class Shape:
    """A shape with corners.

    More about it.
    """

    corners = 4

    def area(
        self,
        scale: float = 1.0,
    ) -> float:
        """How large it is."""
        width = self.width
        height = self.height
        return width * height * scale

    async def draw(self) -> None:
        for corner in range(self.corners):
            print(corner)


def largest(shapes):
    best = None
    for shape in shapes:
        if best is None or shape.area() > best.area():
            best = shape
    return best
'''

SCRIPT = """import fs from 'fs';

export class Store {
  constructor(path) {
    this.path = path;
    this.open = false;
  }

  async read(key, fallback) {
    if (!this.open) {
      throw new Error('closed');
    }
    return this.rows.get(key) ?? fallback;
  }
}

export const twice = (x) => {
  return x * 2;
};

function last(list) {
  return list[list.length - 1];
}
"""


def lines(plan: Pieces, chars: int) -> list[str]:
    return plan.cut(chars).split("\n")


def test_signatures_with_decorators_and_the_first_line_of_their_docs_come_first():
    found = lines(plan_code(PYTHON, "py"), 520)
    for wanted in (
        "@decorated",
        "class Shape:",
        '    """A shape with corners.',
        "        scale: float = 1.0,",
        "    ) -> float:",
        '        """How large it is."""',
        "    async def draw(self) -> None:",
        "def largest(shapes):",
    ):
        assert wanted in found
    assert "    best = None" not in found


def test_what_is_left_out_is_told_by_its_lines_as_deep_in_as_it_stands():
    found = lines(plan_code(PYTHON, "py"), 520)
    assert found[found.index("def largest(shapes):") + 1] == "    … 5 lines"


def test_bodies_are_whole_or_not_there():
    found = lines(plan_code(PYTHON, "py"), 700)
    area = ["        width = self.width", "        return width * height * scale"]
    draw = ["        for corner in range(self.corners):", "            print(corner)"]
    kept = [all(line in found for line in body) for body in (area, draw)]
    gone = [not any(line in found for line in body) for body in (area, draw)]
    assert any(kept)
    assert all(one or other for one, other in zip(kept, gone, strict=True))


def test_a_language_with_braces_is_read_by_the_same_grammar():
    found = lines(plan_code(SCRIPT, "js"), 330)
    for wanted in (
        "export class Store {",
        "  constructor(path) {",
        "  async read(key, fallback) {",
        "export const twice = (x) => {",
        "function last(list) {",
    ):
        assert wanted in found
    assert not any("throw" in line for line in found)
    assert "    if (!this.open) {" not in found


def test_with_room_for_all_of_it_nothing_is_missing():
    assert plan_code(PYTHON, "py").cut(10_000) == PYTHON.strip("\n")
    assert plan_code(SCRIPT, "js").cut(10_000) == SCRIPT.strip("\n")


def test_of_too_many_signatures_those_that_stay_stand_for_all():
    many = "".join(f"def function_{number}(x):\n    return x\n\n\n" for number in range(600))
    kept = [line for line in lines(plan_code(many, "py"), 2_000) if line.startswith("def")]
    numbers = [int(line.split("_")[1].split("(")[0]) for line in kept]
    assert numbers == sorted(numbers)
    assert numbers[0] < 20
    assert numbers[-1] > 550


def test_a_body_that_fits_nowhere_is_begun():
    huge = "def one():\n" + "    value = compute(1, 2, 3)\n" * 500
    short = plan_code(huge, "py").cut(1_000)
    assert 900 <= len(short) <= 1_000
    assert short.count("    value = compute(1, 2, 3)") > 20
