"""A price list for placements: what each form of an artifact costs, written down."""

from __future__ import annotations

from workbench.context.assembly.references import Placement
from workbench.context.assembly.select import Placements


class LengthPricing:
    """A character is a token; a reference costs one; `overhead` stays whatever is dropped."""

    def __init__(self, overhead: int = 0) -> None:
        self._overhead = overhead

    def together(self, placements: Placements) -> int:
        """The sum of all of them, and the overhead."""
        return self._overhead + sum(self.alone(placement) for placement in placements)

    def alone(self, placement: Placement) -> int:
        """What is on the shelf and what is in the turn."""
        return self._on_shelf(placement) + self._in_turn(placement)

    @staticmethod
    def _on_shelf(placement: Placement) -> int:
        if placement.library_form is None or placement.library_copy is None:
            return 0
        return len(
            placement.library_short or ""
            if placement.library_form == "compacted"
            else placement.library_copy.text
        )

    @staticmethod
    def _in_turn(placement: Placement) -> int:
        match placement.in_turn:
            case "full":
                return len(placement.artifact.text)
            case "compacted":
                return len(placement.short or "")
            case "reference":
                return 1
            case None:
                return 0
