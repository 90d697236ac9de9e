"""Patterns that give a key away in a document where none belongs: its name, or how it begins."""

from __future__ import annotations

import re

KEY_NAME = re.compile(
    r"(^|[_.-]|api)(key|token|secret|password|passphrase|credential|auth|authorization|bearer)s?$",
    re.IGNORECASE,
)
# Nobody's words: what providers begin their keys with, a digit somewhere after it; and names or passwords in addresses.
KEY_VALUE = re.compile(
    r"(?<![A-Za-z0-9])((sk|pk|rk|xai|gsk|hf|ghp|github_pat)[-_]|AIza|AKIA|ya29\.|eyJ)(?=[A-Za-z_.-]*\d)[\w.-]{8,}"
    r"|://[^/\s]*@|bearer\s+\S{8,}",
    re.IGNORECASE,
)
