"""A kind that has no reader is refused; no other reader tries its luck."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.domain.files.document import Reading
from workbench.sources.extract.child import read_document
from workbench.sources.extract.refusal import Unreadable

SOUND: Any = "sound"


def test_a_kind_that_nobody_knows_is_refused():
    with pytest.raises(Unreadable, match="'sound', which has no reader") as refused:
        read_document("a.wav", b"RIFF....WAVE", Reading(SOUND))
    assert refused.value.advice == "Choose another kind, or let it be found."
