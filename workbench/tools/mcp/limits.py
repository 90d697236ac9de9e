"""Limits for tool servers: time, sizes and numbers; beyond them content is cut, left out, or an error."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class McpLimits:
    """Limits for each server.

    Attributes:
        start_s: from its start until everything it offers is listed.
        rest_s: how long calls do not restart it after a failure; a person can.
        idle_s: how long it runs without being used.
        call_s: how long a call may take without a sign of life; call_most_s: however much it says of its progress.
        questions: to the person, during a call. sampled_chars, sampled_tokens: of a text for a model, of its answer.
        sign_in_s: for each answer of a sign-in's servers; page_s: for what the person does in the browser.
        message_bytes: of one message, or of one answer over HTTP.
        result_chars: of a result, a prompt, or a text resource.
    """

    start_s: float = 20.0
    call_s: float = 60.0
    call_most_s: float = 3600.0
    questions: int = 10
    sampled_chars: int = 100_000
    sampled_tokens: int = 4096
    sign_in_s: float = 20.0
    page_s: float = 600.0
    rest_s: float = 30.0
    idle_s: float = 600.0
    stop_s: float = 2.0
    message_bytes: int = 16 * 1024 * 1024
    result_chars: int = 400_000
    resource_bytes: int = 10 * 1024 * 1024
    pages: int = 50
    tools: int = 128
    resources: int = 1000
    prompts: int = 200
    description_chars: int = 4000
    schema_chars: int = 32_000
    schema_depth: int = 24
