"""A key that is heard whichever program is used: the desktop's portal for global shortcuts asks for it and tells of it.

By jeepney, which keyring brings along where there is D-Bus: PySide can't write the list of shortcuts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtGui import QGuiApplication

from workbench.ui.translation import tr

SERVICE, PATH = "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop"
SHORTCUTS, REQUEST = "org.freedesktop.portal.GlobalShortcuts", "org.freedesktop.portal.Request"
REGISTRY, PROPERTIES = "org.freedesktop.host.portal.Registry", "org.freedesktop.DBus.Properties"
SUMMON, PREFERRED = "summon", "CTRL+ALT+space"
"""The shortcut's id, and the keys that are proposed; which they are is the desktop's and the person's choice."""

NOT_THERE = (ImportError, OSError, EOFError, KeyError, ValueError, RuntimeError, TimeoutError)
"""What a bus that is missing, closed or not for us gives."""


class NoPortal(Exception):
    """The desktop has no portal for global keys, or it was refused."""


async def has_portal(bus: str = "SESSION") -> bool:
    """Whether this desktop can give a program a global key."""
    try:
        from jeepney.io.asyncio import open_dbus_router  # type: ignore[import-untyped]

        async with open_dbus_router(bus) as router:
            await _call(router, PROPERTIES, "Get", "ss", (SHORTCUTS, "version"))
    except (*NOT_THERE, NoPortal):
        return False
    return True


async def listen(pressed: Callable[[], object], bound: Callable[[str], object], bus: str = "SESSION") -> None:
    """Ask for the key, tell what it is, and of every press, until cancelled; raises `NoPortal` if there is none."""
    try:
        from jeepney import MatchRule, message_bus  # type: ignore[import-untyped]
        from jeepney.io.asyncio import Proxy, open_dbus_router

        async with open_dbus_router(bus) as router:
            presses = MatchRule(type="signal", interface=SHORTCUTS, member="Activated", path=PATH)
            answers = MatchRule(type="signal", interface=REQUEST, member="Response")
            for rule in (presses, answers):
                await Proxy(message_bus, router).AddMatch(rule)
            with router.filter(answers, bufsize=8) as replies, router.filter(presses, bufsize=8) as heard:
                session = await _bind(router, replies, bound)
                while True:
                    body = (await heard.get()).body
                    if tuple(body[:2]) == (session, SUMMON):
                        pressed()
    except NOT_THERE as problem:
        raise NoPortal(str(problem)) from None


async def _bind(router: Any, replies: Any, bound: Callable[[str], object]) -> str:
    """Open a session with the portal and ask for the key in it; returns the session's handle."""
    await _name_program(router)
    made = {"handle_token": ("s", "workbench1"), "session_handle_token": ("s", "workbench")}
    session = str((await _answered(router, replies, "CreateSession", "a{sv}", (made,)))["session_handle"][1])
    words = tr("Show Context Workbench")
    wanted = [(SUMMON, {"description": ("s", words), "preferred_trigger": ("s", PREFERRED)})]
    body = (session, wanted, "", {"handle_token": ("s", "workbench2")})
    given = await _answered(router, replies, "BindShortcuts", "oa(sa{sv})sa{sv}", body)
    found = dict(given["shortcuts"][1]).get(SUMMON, {}) if "shortcuts" in given else {}
    bound(str(found["trigger_description"][1]) if "trigger_description" in found else "")
    return session


async def _name_program(router: Any) -> None:
    """Say which program this is; older portals find that out by themselves, and have no such call."""
    try:
        await _call(router, REGISTRY, "Register", "sa{sv}", (QGuiApplication.desktopFileName(), {}))
    except NoPortal:
        return


async def _answered(
    router: Any, replies: Any, member: str, signature: str, body: tuple[Any, ...]
) -> dict[str, Any]:
    """Call a method whose answer comes later, as a signal of the request that it returned."""
    (request,) = await _call(router, SHORTCUTS, member, signature, body)
    while True:
        message = await replies.get()
        if message.header.fields[1] == request:
            code, results = message.body
            if code:
                raise NoPortal(member)
            return dict(results)


async def _call(
    router: Any, interface: str, member: str, signature: str, body: tuple[Any, ...]
) -> tuple[Any, ...]:
    from jeepney import DBusAddress, MessageType, new_method_call

    address = DBusAddress(PATH, bus_name=SERVICE, interface=interface)
    reply = await router.send_and_get_reply(new_method_call(address, member, signature, body))
    if reply.header.message_type is MessageType.error:
        raise NoPortal(member)
    return tuple(reply.body)
