"""A job is a value; what it is doing is replaced, never changed."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import pytest

from workbench.domain.job import Job


def test_a_job_begins_running_with_nothing_done():
    job = Job("j1", "import", "chats.json")
    assert (job.state, job.done, job.total, job.note, job.chats) == ("running", 0, 0, "", ())


def test_a_job_is_replaced_not_changed():
    job = Job("j1", "export", "json", total=3)
    with pytest.raises(FrozenInstanceError):
        job.done = 1  # type: ignore[misc]
    assert (replace(job, done=1).done, job.done) == (1, 0)
