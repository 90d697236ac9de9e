"""Token estimates that need no tokenizer: seed 004's bytes / 3.5, and characters / 4 (seeds 000, 002).

Everything is integer arithmetic, so the same text gives the same number on every machine.
"""

from __future__ import annotations

RFC_MESSAGE_TOKENS = 8
RFC_PART_TOKENS = 3
RFC_NATIVE_EXTRA_BYTES = 30  # added to the bytes of a tool call, and to those of a tool result
RFC_IMAGE_TOKENS = 2000


def rfc_text_tokens(byte_count: int) -> int:
    """Bytes / 3.5, rounded up."""
    return _divide_up(2 * byte_count, 7)


def rfc_buffered(raw: int) -> int:
    """A sum of message estimates with the 5 % safety margin, rounded up."""
    return _divide_up(105 * raw, 100)


def rfc_tool_tokens(name: str, description: str, schema_json: str) -> int:
    """A tool definition: its UTF-8 bytes with 20 % for JSON around them, and the overhead of a message."""
    byte_count = sum(len(part.encode("utf-8", "replace")) for part in (name, description, schema_json))
    return rfc_text_tokens(_divide_up(6 * byte_count, 5)) + RFC_MESSAGE_TOKENS


def chars4_tokens(text: str) -> int:
    """Characters / 4, rounded up."""
    return _divide_up(len(text), 4)


def _divide_up(dividend: int, divisor: int) -> int:
    return -(-dividend // divisor)
