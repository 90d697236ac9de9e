"""The scripted request as its provider would get it."""

from __future__ import annotations

from tests.fakes import sample_texts as texts
from workbench.domain.message import Role
from workbench.domain.request import PayloadMessage, Piece, WireForm


def wire_form() -> WireForm:
    """The request's messages and the body made of them."""
    messages = _messages()
    body = {
        "model": "gpt-4.1-mini",
        "messages": [
            {"role": message.role, "content": "".join(piece.text for piece in message.pieces)}
            for message in messages
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    return WireForm(
        pieces=lambda: messages,
        body=body,
        url="https://api.openai.com/v1/chat/completions",
        headers=(("Authorization", "Bearer •••"), ("Content-Type", "application/json")),
        places=tuple(("messages", index, "content") for index in range(len(messages))),
        digest="4f0c92be",
    )


def _messages() -> tuple[PayloadMessage, ...]:
    system = (
        Piece("L1_SYSTEM", "persona", texts.PERSONA),
        Piece("L1_SYSTEM", "memory", f"<memory e07d93a4>\n{texts.MEMORY}</memory e07d93a4>\n"),
        Piece(
            "L2_PREVIOUS", "project-spec.md", _file("a86f0d12", "project-spec.md", "compacted", texts.SPEC)
        ),
        Piece("L2_PREVIOUS", "docs/api.md", _file("17c9b4e3", "docs/api.md", "compacted", texts.API_BEFORE)),
    )
    asked = (
        Piece("L3_TURN", "project-spec.md", '<file c4470e1b id="project-spec.md" same-as="a86f0d12"/>\n'),
        Piece("L3_TURN", "src/auth.py", _file("2d91f6ac", "src/auth.py", "full", texts.SOURCE)),
        Piece("L5_USER", "question", f"[User query]:\n{texts.DRAFT}\n"),
    )
    return (
        PayloadMessage("system", system, 1_835),
        _said("user", "turns 1-6", "[trimmed] Where does the service keep its tokens?", 640),
        _said("assistant", "turns 1-6", "[trimmed]", 840),
        _said("user", "turn 7", texts.QUESTION_7, 55),
        _said("assistant", "turn 7", texts.ANSWER_7, 835),
        _said("user", "turn 8", texts.QUESTION_8, 61),
        _said("assistant", "turn 8", texts.ANSWER_8, 1_249),
        PayloadMessage("user", asked, 6_171),
    )


def _said(role: Role, row: str, text: str, tokens: int) -> PayloadMessage:
    return PayloadMessage(role, (Piece("L4_STRIP", row, text),), tokens)


def _file(digest: str, name: str, form: str, text: str) -> str:
    return f'<file {digest} id="{name}" form="{form}">\n{text}</file {digest}>\n'
