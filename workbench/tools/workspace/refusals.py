"""Why a tool does not do what it was asked, in words the model can act on."""

from __future__ import annotations

import errno

_KNOWN = {
    errno.EACCES: "the system does not allow it",
    errno.EPERM: "the system does not allow it",
    errno.EROFS: "the folder can only be read",
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.ENAMETOOLONG: "the name is too long",
    errno.EMFILE: "too many files are open",
}


class Refused(Exception):
    """Nothing was done; the text says why and what would work."""


def refusal_of(error: OSError) -> Refused:
    """What the system said, without the places on this computer that its own words name."""
    reason = _KNOWN.get(error.errno or 0, (error.strerror or "an input or output error").lower())
    return Refused(f"It did not work: {reason}. Nothing was changed.")
