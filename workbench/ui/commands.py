"""All commands: one list for the menu, the palette and the guide's list of shortcuts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from workbench.domain.settings.context_settings import ContextSettings
from workbench.ui.translation import translator
from workbench.ui.wishes import CommandId

_tr = translator("Commands")


@dataclass(frozen=True, slots=True)
class Command:
    """One command, with the function that runs it.

    Attributes:
        group: the heading it stands under, translated like the title.
        shortcut: in the portable form ("Ctrl+K"); empty where it has none.
        more: other words by which the palette finds it.
        line: a second, less prominent text beside the title.
        submenu: the part of its group's menu that it stands in; empty for the menu itself.
        preview: settings to try out while it is highlighted in the palette; None if it changes none.
    """

    id: str
    title: str
    group: str
    run: Callable[[], None]
    icon: str = ""
    shortcut: str = ""
    more: str = ""
    line: str = ""
    submenu: str = ""
    enabled: Callable[[], bool] = lambda: True
    preview: Callable[[], ContextSettings | None] | None = None


When = Literal["always", "chat", "temporary", "answer", "placed", "rebuild", "undo", "redo"]
"""What a command needs: a chat, an arriving answer, a chat or page that can be filed, something to undo …"""


@dataclass(frozen=True, slots=True)
class Spec:
    """A command before it is bound to a function; panes use its id to wish for it.

    Attributes:
        also: a second shortcut: one that completes a row such as Alt+1 to Alt+5, or one that a focused text field
            uses itself.
        when: what it needs to make sense.
        submenu: the part of its group's menu that it stands in.
    """

    id: CommandId
    title: str
    group: str
    icon: str = ""
    shortcut: str = ""
    more: str = ""
    also: str = ""
    when: When = "always"
    submenu: str = ""


def specs() -> tuple[Spec, ...]:
    """All commands of the window, in the order of the menu."""
    chat, envelope, go, view, program = (
        _tr("Chat"), _tr("Request"), _tr("Go to"), _tr("View"), _tr("Workbench"),
    )  # fmt: skip
    in_chat, placed = partial(Spec, when="chat"), partial(Spec, when="placed")
    return (
        Spec("new-chat", _tr("New chat"), chat, "plus", "Ctrl+N"),
        Spec(
            "new-temporary-chat",
            _tr("New temporary chat"),
            chat,
            "clock",
            "Ctrl+Alt+Shift+N",
            _tr("private incognito not saved"),
        ),
        placed(
            "new-window", _tr("Open in a new window"), chat, "external", "Ctrl+Alt+N", _tr("second beside")
        ),
        Spec("new-workspace", _tr("New workspace…"), chat, "folder", "Ctrl+Shift+N", _tr("project place")),
        placed(
            "workspace", _tr("Page of the workspace"), chat, "folder", "Ctrl+Shift+W", _tr("project place")
        ),
        in_chat("model", _tr("Choose a model…"), chat, "chip", "Ctrl+M"),
        in_chat("tools", _tr("Tools of this chat…"), chat, "tool", "Ctrl+T", _tr("workspace folder")),
        in_chat(
            "parameters",
            _tr("Parameters of this chat…"),
            chat,
            "sliders",
            "Ctrl+P",
            _tr("temperature top_p top_k min_p penalty seed stop json effort"),
        ),
        Spec("presets", _tr("Presets…"), chat, "save", "Ctrl+Alt+P", _tr("settings save apply compare")),
        *_inside(
            _tr("Attach"),
            Spec("attach-files", _tr("Attach files…"), chat, "clip", "Ctrl+O"),
            Spec("attach-folder", _tr("Attach a folder…"), chat, "folder", "Ctrl+Shift+O"),
            Spec(
                "follow-folder",
                _tr("Follow a folder…"),
                chat,
                "folder",
                "Ctrl+Alt+O",
                _tr("search documents index quote sections"),
            ),
            Spec(
                "attach-page",
                _tr("Attach a page…"),
                chat,
                "globe",
                "Ctrl+Shift+U",
                _tr("url web address link"),
            ),
            Spec("search-web", _tr("Search the web…"), chat, "globe", "Ctrl+Alt+G"),
            Spec("attach-clipboard", _tr("Attach what is on the clipboard"), chat, "clip", "Ctrl+Shift+V"),
            in_chat(
                "from-server", _tr("Attach from a server…"), chat, "server", "", _tr("mcp resource prompt")
            ),
        ),
        *_inside(
            _tr("This chat"),
            in_chat("rename-chat", _tr("Rename this chat"), chat, "edit", "F2"),
            in_chat(
                "write-title", _tr("Have the model write a title…"), chat, "edit", "", _tr("rename name")
            ),
            placed("pin-chat", _tr("Pin this chat in the list, or unpin it"), chat, "pin"),
            placed(
                "archive-chat", _tr("Archive or unarchive this chat"), chat, "archive", more=_tr("put away")
            ),
            placed("move-chat", _tr("Move this chat to a workspace…"), chat, "folder"),
            placed("tag-chat", _tr("Tags of this chat…"), chat, "hash", more=_tr("labels words")),
            in_chat(
                "approval",
                _tr("Approval rules…"),
                chat,
                "shield",
                "",
                _tr("allow ask never permission tools"),
            ),
            Spec(
                "keep-chat",
                _tr("Keep this temporary chat"),
                chat,
                "save",
                more=_tr("store"),
                when="temporary",
            ),
            in_chat("delete-chat", _tr("Delete this chat"), chat, "trash"),
        ),
        *_inside(
            _tr("Message and answer"),
            in_chat(
                "send-once",
                _tr("Send this once with…"),
                chat,
                "send",
                "Ctrl+Shift+Return",
                _tr("other model"),
            ),
            in_chat(
                "begin-answer",
                _tr("Begin the answer with…"),
                chat,
                "play",
                "Ctrl+Shift+B",
                _tr("prefill beginning continue"),
            ),
            in_chat(
                "ask-side",
                _tr("Ask on the side"),
                chat,
                "chat",
                "Ctrl+Alt+Return",
                _tr("side question btw aside"),
            ),
            in_chat(
                "keep-warm",
                _tr("Keep this chat’s cache warm, or stop"),
                chat,
                "clock",
                "Ctrl+Alt+W",
                _tr("cold refresh expire lifetime pause"),
            ),
            Spec(
                "steer-step",
                _tr("Send after this step"),
                chat,
                "send",
                "Alt+Return",
                _tr("steer tools round queue"),
                when="answer",
            ),
            Spec(
                "steer-instead",
                _tr("Send instead of this answer"),
                chat,
                "send",
                "Alt+Shift+Return",
                _tr("steer stop interrupt queue"),
                when="answer",
            ),
            Spec("stop", _tr("Stop the answer"), chat, "stop", "Ctrl+.", when="answer"),
            in_chat("regenerate", _tr("Regenerate the last answer"), chat, "refresh", "Ctrl+R"),
            Spec("answer-tool", _tr("Answer the tool request"), chat, "tool", "Ctrl+Shift+T", when="answer"),
            in_chat("copy-answer", _tr("Copy the last answer"), chat, "copy", "Ctrl+Shift+C"),
        ),
        *_inside(
            _tr("Prompts and memory"),
            Spec("prompts", _tr("Prompts…"), chat, "book", "Ctrl+J", _tr("library template saved")),
            Spec("save-prompt", _tr("Save the message as a prompt…"), chat, "save"),
            in_chat(
                "remember", _tr("Remember this…"), chat, "bulb", "Ctrl+Shift+M", _tr("memory fact selection")
            ),
            Spec("memory", _tr("Memory…"), chat, "bulb", "", _tr("memory facts edit")),
            in_chat(
                "suggest-facts", _tr("Suggest facts to remember…"), chat, "bulb", "", _tr("memory model")
            ),
            in_chat(
                "summarise",
                _tr("Summarise earlier turns…"),
                chat,
                "compact",
                "Ctrl+Alt+S",
                _tr("summary compact shorten history"),
            ),
        ),
        *_inside(
            _tr("Export and import"),
            Spec("export", _tr("Export chats…"), chat, "download", "Ctrl+Shift+E"),
            Spec("import", _tr("Import chats…"), chat, "external", "Ctrl+Shift+I"),
        ),
        *_inside(
            _tr("Watch"),
            Spec(
                "watch",
                _tr("Watch other programs…"),
                chat,
                "eye",
                "",
                _tr("proxy agent claude codex requests"),
            ),
            Spec(
                "watch-sessions",
                _tr("Sessions on this computer…"),
                chat,
                "folder",
                "",
                _tr("claude codex import disk"),
            ),
            Spec("watch-switch", _tr("Start or stop watching"), chat, "eye", "", _tr("proxy listen")),
            Spec(
                "watch-pause", _tr("Pause or resume recording"), chat, "eye-off", "", _tr("watch proxy keep")
            ),
            Spec(
                "watch-hold",
                _tr("Hold watched requests, or let them pass"),
                chat,
                "clock",
                "",
                _tr("pause intercept"),
            ),
            in_chat(
                "watch-rule",
                _tr("Add a rule for this program…"),
                chat,
                "sliders",
                "",
                _tr("tools redact freeze"),
            ),
            in_chat(
                "go-on-watched", _tr("Go on from this watched request"), chat, "branch", "", _tr("fork own")
            ),
            in_chat(
                "copy-mend",
                _tr("Copy the line for the program"),
                chat,
                "copy",
                "",
                _tr("watch finding switch"),
            ),
            in_chat(
                "copy-write",
                _tr("Copy the command that writes it as a session of its program"),
                chat,
                "copy",
                "",
                _tr("watch resume claude codex tune"),
            ),
        ),
        in_chat(
            "edit-instructions",
            _tr("Edit instructions"),
            envelope,
            "edit",
            "Ctrl+E",
            _tr("system prompt persona"),
        ),
        Spec("undo", _tr("Undo tuning"), envelope, "undo", "Ctrl+Alt+Z", also="Ctrl+Z", when="undo"),
        Spec(
            "redo", _tr("Redo tuning"), envelope, "redo", "Ctrl+Alt+Shift+Z", also="Ctrl+Shift+Z", when="redo"
        ),
        Spec(
            "rebuild",
            _tr("Rebuild the request now"),
            envelope,
            "refresh",
            "Ctrl+Shift+R",
            _tr("purge log cache"),
            when="rebuild",
        ),
        in_chat(
            "left-out",
            _tr("What is left out…"),
            envelope,
            "eye-off",
            more=_tr("excluded put back bring back messages attachments"),
        ),
        in_chat("refresh-stale", _tr("Refresh changed files"), envelope, "refresh", "F5"),
        in_chat(
            "choose-parts",
            _tr("Choose parts of an attached file"),
            envelope,
            "hash",
            "Ctrl+Shift+P",
            _tr("sections pages headings outline"),
        ),
        in_chat("layers", _tr("Layers"), envelope, "sliders", "Alt+1"),
        in_chat("payload", _tr("Payload"), envelope, "file", "Alt+2"),
        in_chat(
            "diff",
            _tr("Compare with the last request"),
            envelope,
            "diff",
            "Ctrl+D",
            _tr("diff changes"),
            "Alt+3",
        ),
        in_chat("turns", _tr("Turns"), envelope, "timeline", "Alt+4"),
        in_chat(
            "compare",
            _tr("Compare with other settings"),
            envelope,
            "diff",
            "Alt+5",
            _tr("variants model budget layout columns what if"),
        ),
        in_chat(
            "influence",
            _tr("Measure what carried this answer…"),
            envelope,
            "bulb",
            more=_tr("influence attribution which file matters leave out"),
        ),
        in_chat(
            "facts",
            _tr("Check this answer’s facts"),
            envelope,
            "check",
            "Ctrl+Shift+K",
            _tr("grounded hallucination source where does it come from numbers dates names"),
        ),
        in_chat(
            "nearly-taken",
            _tr("Nearly taken from followed folders"),
            envelope,
            "folder",
            more=_tr("quotes sections tick share search"),
        ),
        in_chat("copy-curl", _tr("Copy the request as curl"), envelope, "copy"),
        Spec("palette", _tr("Commands…"), go, "search", "Ctrl+K"),
        in_chat("find", _tr("Find in this chat"), go, "search", "Ctrl+F", _tr("search words")),
        in_chat("find-next", _tr("Next match in this chat"), go, "chevron-down", "F3"),
        in_chat("find-previous", _tr("Previous match in this chat"), go, "chevron-up", "Shift+F3"),
        Spec("search", _tr("Search all chats"), go, "search", "Ctrl+Shift+F", _tr("find everywhere")),
        Spec("next-pane", _tr("Next pane"), go, "chevron-right", "F6"),
        in_chat("minimap", _tr("Minimap of this chat"), go, more=_tr("overview scroll messages jump")),
        placed("composer", _tr("Write a message"), go, "edit", "Ctrl+L"),
        Spec("sort-chats", _tr("Order of the chats…"), go, "filter", more=_tr("sort title date")),
        Spec("previous-chat", _tr("Previous chat in the list"), go, "", "Ctrl+PgUp"),
        Spec("next-chat", _tr("Next chat in the list"), go, "", "Ctrl+PgDown"),
        Spec("light-dark", _tr("Switch between light and dark"), view, "bulb", "Ctrl+Shift+D"),
        Spec("zoom-in", _tr("Larger text"), view, "plus", "Ctrl++", _tr("zoom font"), also="Ctrl+="),
        Spec("zoom-out", _tr("Smaller text"), view, "minus", "Ctrl+-", _tr("zoom font")),
        Spec("zoom-usual", _tr("Reset text size"), view, "", "Ctrl+0", _tr("zoom font reset")),
        Spec("left-column", _tr("Show or hide chats and attachments"), view, "menu", "Ctrl+B"),
        Spec("inspector", _tr("Show or hide the request"), view, "sliders", "Ctrl+I", more=_tr("inspector")),
        Spec("float-inspector", _tr("Request in its own window"), view, "external", more=_tr("inspector")),
        Spec("swap-sides", _tr("Request on the other side"), view, "diff", more=_tr("inspector")),
        Spec("menu", _tr("Open the menu"), view, "menu", "F10"),
        Spec("reset-layout", _tr("Put all panes back"), view, "undo"),
        Spec(
            "spend", _tr("Money"), program, "timeline", more=_tr("spend cost price cap budget dollars usage")
        ),
        Spec("settings", _tr("Settings…"), program, "gear", "Ctrl+,"),
        Spec(
            "connections",
            _tr("Connections of this run…"),
            program,
            "globe",
            more=_tr("network proxy offline sent"),
        ),
        Spec("explain", _tr("What is this?"), program, "help", "Shift+F1", _tr("help explain learn")),
        Spec("tour", _tr("Take the tour again"), program, "refresh", more=_tr("hints help learn first")),
        Spec("guide", _tr("Guide"), program, "book", "F1", _tr("help manual documentation")),
        Spec("shortcuts", _tr("All shortcuts"), program, "info", "Ctrl+/", _tr("keys keyboard")),
        Spec("lock", _tr("Lock now"), program, "lock", "Ctrl+Shift+L", _tr("passphrase privacy cover")),
        Spec("sample", _tr("Open a new sample chat"), program, "play"),
        Spec("about", _tr("About Context Workbench"), program, "info"),
        Spec("quit", _tr("Quit"), program, "x", "Ctrl+Q"),
    )


def _inside(submenu: str, *specs: Spec) -> tuple[Spec, ...]:
    return tuple(replace(spec, submenu=submenu) for spec in specs)


def with_keys(wanted: Sequence[Spec], chosen: Mapping[str, str]) -> tuple[Spec, ...]:
    """The commands with the shortcuts that the user chose, by id; an empty one removes the shortcut."""
    return tuple(
        replace(spec, shortcut=chosen[spec.id], also="") if spec.id in chosen else spec for spec in wanted
    )


def bind(
    wanted: Sequence[Spec], run: Callable[[CommandId], None], enabled: Callable[[CommandId], bool]
) -> tuple[Command, ...]:
    """The commands with `run` and `enabled` bound to their ids."""
    return tuple(_bind_one(spec, run, enabled) for spec in wanted)


def _bind_one(spec: Spec, run: Callable[[CommandId], None], enabled: Callable[[CommandId], bool]) -> Command:
    return Command(
        spec.id,
        spec.title,
        spec.group,
        lambda: run(spec.id),
        spec.icon,
        spec.shortcut,
        spec.more,
        submenu=spec.submenu,
        enabled=lambda: enabled(spec.id),
    )
