"""The workspace that is meant."""

from __future__ import annotations

import pytest

from workbench.cli.open_workspace import find_workspace
from workbench.domain.errors import InvalidInput
from workbench.domain.workspace import Workspace
from workbench.engine.known_workspaces import Workspaces


def test_without_a_name_it_is_the_only_one_that_is_not_deleted():
    known = Workspaces()
    with pytest.raises(InvalidInput, match="there is no workspace yet"):
        find_workspace(None, known)
    work = Workspace("w", "Work")
    for one in (Workspace(""), work, Workspace("g", "Gone", deleted_utc="2026-01-01")):
        known.note(one)
    assert find_workspace(None, known) is find_workspace("WORK", known) is work
    known.note(Workspace("h", "Home"))
    with pytest.raises(InvalidInput, match="name the workspace that is meant: Home, Work"):
        find_workspace(None, known)
