"""The colours of a button, by its kind and what is being done with it."""

from __future__ import annotations

from typing import Literal, NamedTuple

from workbench.ui.look.theme import Theme

Kind = Literal["secondary", "primary", "ghost", "danger", "link"]
ButtonState = Literal["idle", "hover", "down", "disabled"]


class ButtonLook(NamedTuple):
    """Ground and border (empty: none), ink, the token of the icon, and the border of the key."""

    ground: str
    line: str
    ink: str
    token: str
    hint_line: str


def button_look(theme: Theme, kind: Kind, state: ButtonState) -> ButtonLook:
    """How a button of that kind looks in that state."""
    if state == "disabled":
        return _disabled(theme, kind)
    held = state != "idle"
    pressed = theme.line if state == "down" else theme.hover
    lifted = (
        theme.line2
        if state == "down" and theme.dark
        else theme.line
        if state == "down"
        else theme.raised_hover
    )
    match kind:
        case "primary":
            return ButtonLook(
                theme.accent_hover if held else theme.accent,
                "",
                theme.on_accent,
                "on_accent",
                _half(theme.on_accent),
            )
        case "secondary":
            return ButtonLook(lifted if held else theme.raised, theme.btnline, theme.t1, "t1", theme.btnline)
        case "ghost":
            return ButtonLook(pressed if held else "", "", theme.t2, "t2", theme.btnline)
        case "danger":
            return ButtonLook(theme.err_tint if held else "", "", theme.err, "err", theme.btnline)
        case "link":
            return ButtonLook("", "", theme.accent_text, "accent_text", theme.btnline)


def _half(value: str) -> str:
    """The same colour, half transparent."""
    return f"#80{value[1:]}"


def _disabled(theme: Theme, kind: Kind) -> ButtonLook:
    bare = kind in ("ghost", "danger", "link")
    return ButtonLook("" if bare else theme.sunken, "" if bare else theme.line, theme.t3, "t3", theme.line)
