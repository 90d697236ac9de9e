"""What the system says becomes words without places on this computer."""

from __future__ import annotations

import errno

import pytest

from workbench.tools.workspace.paths import refusal_of


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (
            PermissionError(errno.EACCES, "Permission denied", "/home/me/secret"),
            "the system does not allow it",
        ),
        (OSError(errno.ENOSPC, "No space left on device"), "the disk is full"),
        (OSError(errno.EBUSY, "Device or resource busy"), "device or resource busy"),
        (OSError("something"), "an input or output error"),
    ],
)
def test_an_error_is_told_without_its_path(error: OSError, words: str):
    assert str(refusal_of(error)) == f"It did not work: {words}. Nothing was changed."
