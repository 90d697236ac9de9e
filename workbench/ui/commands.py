"""All commands: one list for the menu, the palette and the guide's list of shortcuts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from workbench.domain.settings.context_settings import ContextSettings
from workbench.ui.translation import tr
from workbench.ui.wishes import CommandId


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
        tr("Chat"), tr("Request"), tr("Go to"), tr("View"), tr("Workbench"),
    )  # fmt: skip
    in_chat, placed = partial(Spec, when="chat"), partial(Spec, when="placed")
    return (
        Spec("new-chat", tr("New chat"), chat, "plus", "Ctrl+N"),
        Spec(
            "new-temporary-chat",
            tr("New temporary chat"),
            chat,
            "clock",
            "Ctrl+Alt+Shift+N",
            tr("private incognito not saved"),
        ),
        placed("new-window", tr("Open in a new window"), chat, "external", "Ctrl+Alt+N", tr("second beside")),
        Spec("new-workspace", tr("New workspace…"), chat, "folder", "Ctrl+Shift+N", tr("project place")),
        placed("workspace", tr("Page of the workspace"), chat, "folder", "Ctrl+Shift+W", tr("project place")),
        in_chat("model", tr("Choose a model…"), chat, "chip", "Ctrl+M"),
        in_chat("tools", tr("Tools of this chat…"), chat, "tool", "Ctrl+T", tr("workspace folder")),
        in_chat(
            "parameters",
            tr("Parameters of this chat…"),
            chat,
            "sliders",
            "Ctrl+P",
            tr("temperature top_p top_k min_p penalty seed stop json effort"),
        ),
        Spec("presets", tr("Presets…"), chat, "save", "Ctrl+Alt+P", tr("settings save apply compare")),
        *_inside(
            tr("Attach"),
            Spec("attach-files", tr("Attach files…"), chat, "clip", "Ctrl+O"),
            Spec("attach-folder", tr("Attach a folder…"), chat, "folder", "Ctrl+Shift+O"),
            Spec(
                "follow-folder",
                tr("Follow a folder…"),
                chat,
                "folder",
                "Ctrl+Alt+O",
                tr("search documents index quote sections"),
            ),
            Spec(
                "attach-page",
                tr("Attach a page…"),
                chat,
                "globe",
                "Ctrl+Shift+U",
                tr("url web address link"),
            ),
            Spec("search-web", tr("Search the web…"), chat, "globe", "Ctrl+Alt+G"),
            Spec("attach-clipboard", tr("Attach what is on the clipboard"), chat, "clip", "Ctrl+Shift+V"),
            in_chat(
                "from-server", tr("Attach from a server…"), chat, "server", "", tr("mcp resource prompt")
            ),
        ),
        *_inside(
            tr("This chat"),
            in_chat("rename-chat", tr("Rename this chat"), chat, "edit", "F2"),
            in_chat("write-title", tr("Have the model write a title…"), chat, "edit", "", tr("rename name")),
            placed("pin-chat", tr("Pin this chat in the list, or unpin it"), chat, "pin"),
            placed(
                "archive-chat", tr("Archive or unarchive this chat"), chat, "archive", more=tr("put away")
            ),
            placed("move-chat", tr("Move this chat to a workspace…"), chat, "folder"),
            placed("tag-chat", tr("Tags of this chat…"), chat, "hash", more=tr("labels words")),
            in_chat(
                "approval",
                tr("Approval rules…"),
                chat,
                "shield",
                "",
                tr("allow ask never permission tools"),
            ),
            Spec(
                "keep-chat",
                tr("Keep this temporary chat"),
                chat,
                "save",
                more=tr("store"),
                when="temporary",
            ),
            in_chat("delete-chat", tr("Delete this chat"), chat, "trash"),
        ),
        *_inside(
            tr("Message and answer"),
            in_chat(
                "send-once",
                tr("Send this once with…"),
                chat,
                "send",
                "Ctrl+Shift+Return",
                tr("other model"),
            ),
            in_chat(
                "begin-answer",
                tr("Begin the answer with…"),
                chat,
                "play",
                "Ctrl+Shift+B",
                tr("prefill beginning continue"),
            ),
            in_chat(
                "ask-side",
                tr("Ask on the side"),
                chat,
                "chat",
                "Ctrl+Alt+Return",
                tr("side question btw aside"),
            ),
            in_chat(
                "keep-warm",
                tr("Keep this chat’s cache warm, or stop"),
                chat,
                "clock",
                "Ctrl+Alt+W",
                tr("cold refresh expire lifetime pause"),
            ),
            Spec(
                "steer-step",
                tr("Send after this step"),
                chat,
                "send",
                "Alt+Return",
                tr("steer tools round queue"),
                when="answer",
            ),
            Spec(
                "steer-instead",
                tr("Send instead of this answer"),
                chat,
                "send",
                "Alt+Shift+Return",
                tr("steer stop interrupt queue"),
                when="answer",
            ),
            Spec("stop", tr("Stop the answer"), chat, "stop", "Ctrl+.", when="answer"),
            in_chat("regenerate", tr("Regenerate the last answer"), chat, "refresh", "Ctrl+R"),
            Spec("answer-tool", tr("Answer the tool request"), chat, "tool", "Ctrl+Shift+T", when="answer"),
            in_chat("copy-answer", tr("Copy the last answer"), chat, "copy", "Ctrl+Shift+C"),
        ),
        *_inside(
            tr("Prompts and memory"),
            Spec("prompts", tr("Prompts…"), chat, "book", "Ctrl+J", tr("library template saved")),
            Spec("save-prompt", tr("Save the message as a prompt…"), chat, "save"),
            in_chat(
                "remember", tr("Remember this…"), chat, "bulb", "Ctrl+Shift+M", tr("memory fact selection")
            ),
            Spec("memory", tr("Memory…"), chat, "bulb", "", tr("memory facts edit")),
            in_chat("suggest-facts", tr("Suggest facts to remember…"), chat, "bulb", "", tr("memory model")),
            in_chat(
                "summarise",
                tr("Summarise earlier turns…"),
                chat,
                "compact",
                "Ctrl+Alt+S",
                tr("summary compact shorten history"),
            ),
        ),
        *_inside(
            tr("Export and import"),
            Spec("export", tr("Export chats…"), chat, "download", "Ctrl+Shift+E"),
            Spec("import", tr("Import chats…"), chat, "external", "Ctrl+Shift+I"),
        ),
        *_inside(
            tr("Watch"),
            Spec(
                "watch",
                tr("Watch other programs…"),
                chat,
                "eye",
                "",
                tr("proxy agent claude codex requests"),
            ),
            Spec(
                "watch-sessions",
                tr("Sessions on this computer…"),
                chat,
                "folder",
                "",
                tr("claude codex import disk"),
            ),
            Spec("watch-switch", tr("Start or stop watching"), chat, "eye", "", tr("proxy listen")),
            Spec("watch-pause", tr("Pause or resume recording"), chat, "eye-off", "", tr("watch proxy keep")),
            Spec(
                "watch-hold",
                tr("Hold watched requests, or let them pass"),
                chat,
                "clock",
                "",
                tr("pause intercept"),
            ),
            in_chat(
                "watch-rule",
                tr("Add a rule for this program…"),
                chat,
                "sliders",
                "",
                tr("tools redact freeze"),
            ),
            in_chat(
                "go-on-watched", tr("Go on from this watched request"), chat, "branch", "", tr("fork own")
            ),
            in_chat(
                "copy-mend",
                tr("Copy the line for the program"),
                chat,
                "copy",
                "",
                tr("watch finding switch"),
            ),
            in_chat(
                "copy-write",
                tr("Copy the command that writes it as a session of its program"),
                chat,
                "copy",
                "",
                tr("watch resume claude codex tune"),
            ),
        ),
        in_chat(
            "edit-instructions",
            tr("Edit instructions"),
            envelope,
            "edit",
            "Ctrl+E",
            tr("system prompt persona"),
        ),
        Spec("undo", tr("Undo tuning"), envelope, "undo", "Ctrl+Alt+Z", also="Ctrl+Z", when="undo"),
        Spec(
            "redo", tr("Redo tuning"), envelope, "redo", "Ctrl+Alt+Shift+Z", also="Ctrl+Shift+Z", when="redo"
        ),
        Spec(
            "rebuild",
            tr("Rebuild the request now"),
            envelope,
            "refresh",
            "Ctrl+Shift+R",
            tr("purge log cache"),
            when="rebuild",
        ),
        in_chat(
            "left-out",
            tr("What is left out…"),
            envelope,
            "eye-off",
            more=tr("excluded put back bring back messages attachments"),
        ),
        in_chat("refresh-stale", tr("Refresh changed files"), envelope, "refresh", "F5"),
        in_chat(
            "choose-parts",
            tr("Choose parts of an attached file"),
            envelope,
            "hash",
            "Ctrl+Shift+P",
            tr("sections pages headings outline"),
        ),
        in_chat("layers", tr("Layers"), envelope, "sliders", "Alt+1"),
        in_chat("payload", tr("Payload"), envelope, "file", "Alt+2"),
        in_chat(
            "diff",
            tr("Compare with the last request"),
            envelope,
            "diff",
            "Ctrl+D",
            tr("diff changes"),
            "Alt+3",
        ),
        in_chat("turns", tr("Turns"), envelope, "timeline", "Alt+4"),
        in_chat(
            "compare",
            tr("Compare with other settings"),
            envelope,
            "diff",
            "Alt+5",
            tr("variants model budget layout columns what if"),
        ),
        in_chat(
            "influence",
            tr("Measure what carried this answer…"),
            envelope,
            "bulb",
            more=tr("influence attribution which file matters leave out"),
        ),
        in_chat(
            "facts",
            tr("Check this answer’s facts"),
            envelope,
            "check",
            "Ctrl+Shift+K",
            tr("grounded hallucination source where does it come from numbers dates names"),
        ),
        in_chat(
            "nearly-taken",
            tr("Nearly taken from followed folders"),
            envelope,
            "folder",
            more=tr("quotes sections tick share search"),
        ),
        in_chat("copy-curl", tr("Copy the request as curl"), envelope, "copy"),
        Spec("palette", tr("Commands…"), go, "search", "Ctrl+K"),
        in_chat("find", tr("Find in this chat"), go, "search", "Ctrl+F", tr("search words")),
        in_chat("find-next", tr("Next match in this chat"), go, "chevron-down", "F3"),
        in_chat("find-previous", tr("Previous match in this chat"), go, "chevron-up", "Shift+F3"),
        Spec("search", tr("Search all chats"), go, "search", "Ctrl+Shift+F", tr("find everywhere")),
        Spec("next-pane", tr("Next pane"), go, "chevron-right", "F6"),
        in_chat("minimap", tr("Minimap of this chat"), go, more=tr("overview scroll messages jump")),
        placed("composer", tr("Write a message"), go, "edit", "Ctrl+L"),
        Spec("sort-chats", tr("Order of the chats…"), go, "filter", more=tr("sort title date")),
        Spec("previous-chat", tr("Previous chat in the list"), go, "", "Ctrl+PgUp"),
        Spec("next-chat", tr("Next chat in the list"), go, "", "Ctrl+PgDown"),
        Spec("light-dark", tr("Switch between light and dark"), view, "bulb", "Ctrl+Shift+D"),
        Spec("zoom-in", tr("Larger text"), view, "plus", "Ctrl++", tr("zoom font"), also="Ctrl+="),
        Spec("zoom-out", tr("Smaller text"), view, "minus", "Ctrl+-", tr("zoom font")),
        Spec("zoom-usual", tr("Reset text size"), view, "", "Ctrl+0", tr("zoom font reset")),
        Spec("left-column", tr("Show or hide chats and attachments"), view, "menu", "Ctrl+B"),
        Spec("inspector", tr("Show or hide the request"), view, "sliders", "Ctrl+I", more=tr("inspector")),
        Spec("float-inspector", tr("Request in its own window"), view, "external", more=tr("inspector")),
        Spec("swap-sides", tr("Request on the other side"), view, "diff", more=tr("inspector")),
        Spec("menu", tr("Open the menu"), view, "menu", "F10"),
        Spec("reset-layout", tr("Put all panes back"), view, "undo"),
        Spec("spend", tr("Money"), program, "timeline", more=tr("spend cost price cap budget dollars usage")),
        Spec("settings", tr("Settings…"), program, "gear", "Ctrl+,"),
        Spec(
            "connections",
            tr("Connections of this run…"),
            program,
            "globe",
            more=tr("network proxy offline sent"),
        ),
        Spec("explain", tr("What is this?"), program, "help", "Shift+F1", tr("help explain learn")),
        Spec("tour", tr("Take the tour again"), program, "refresh", more=tr("hints help learn first")),
        Spec("guide", tr("Guide"), program, "book", "F1", tr("help manual documentation")),
        Spec("shortcuts", tr("All shortcuts"), program, "info", "Ctrl+/", tr("keys keyboard")),
        Spec("lock", tr("Lock now"), program, "lock", "Ctrl+Shift+L", tr("passphrase privacy cover")),
        Spec("sample", tr("Open a new sample chat"), program, "play"),
        Spec("about", tr("About Context Workbench"), program, "info"),
        Spec("quit", tr("Quit"), program, "x", "Ctrl+Q"),
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
