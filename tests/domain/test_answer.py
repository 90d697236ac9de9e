"""What comes back from a model, and how it fails."""

from __future__ import annotations

from workbench.domain.answer import FAILURE_KINDS, Failure, ModelFailed


def test_the_kinds_of_the_contract_are_there():
    assert {
        "auth", "rate", "server", "context", "request", "network", "tls", "timeout", "protocol", "too_big", "empty",
    } <= set(FAILURE_KINDS)  # fmt: skip


def test_a_failure_speaks_for_itself():
    failure = Failure("rate", "Too many requests. Wait a moment.", retry_after_s=3)
    assert str(ModelFailed(failure)) == failure.message
    assert ModelFailed(failure).failure is failure
