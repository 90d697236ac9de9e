"""Errors that are shown to the user; each says what happened and what to do."""

from __future__ import annotations

from workbench.domain.translation import joined, tr


class WorkbenchError(Exception):
    """Something the user can act on."""


class InvalidInput(WorkbenchError):
    """Input that cannot be used, with the path of the wrong field."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(joined((path, reason), ": ") if path else reason)
        self.path = path
        self.reason = reason


class StoreFull(WorkbenchError):
    """The store's folder cannot be written: the disk is full, or permission is missing."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            tr(
                "The history could not be written ({reason}). Nothing that was saved "
                "before is lost. Make room on the disk, or make its folder writable, "
                "and try again.",
                reason=reason,
            )
        )


class StoreDamaged(WorkbenchError):
    """The store's file could not be read or written at some place."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            tr(
                "The history file is damaged or unreadable ({reason}). Nothing was "
                "overwritten. Run `workbench history verify` to see the damage, then "
                "restore a backup or bring back what is readable with `workbench "
                "history salvage`.",
                reason=reason,
            )
        )


class StoreCut(StoreDamaged):
    """The end of the store's file is missing, so that SQLite cannot open it."""

    def __init__(self, path: str) -> None:
        WorkbenchError.__init__(
            self,
            tr(
                "{path} was cut short: its end is missing. Nothing was overwritten. "
                "Restore a backup, or bring back what is readable with `workbench "
                "history salvage`.",
                path=path,
            ),
        )


class BackupRefused(WorkbenchError):
    """A backup that could not be made or restored."""

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(
            tr(
                "The backup at {where} was refused: {reason}. The history itself was not changed.",
                where=where,
                reason=reason,
            )
        )


class NotKept(WorkbenchError):
    """Something that was requested, or referred to, is not in the store."""


class FutureStore(WorkbenchError):
    """The store was written by a newer version of the program."""

    def __init__(self, found: int, known: int) -> None:
        super().__init__(
            tr(
                "The history has version {found}; this program knows versions up to "
                "{known}. Nothing was changed. Use the newer program, or restore a "
                "backup made by this one.",
                found=found,
                known=known,
            )
        )


class NoKeysYet(WorkbenchError):
    """A command that needs stored data or keys, in a folder without any."""

    def __init__(self, place: str) -> None:
        super().__init__(
            tr(
                "There is no history in {place}, and there are no keys to one. Nothing "
                "was written. The first question or import makes them; --data-dir "
                "names another folder.",
                place=place,
            )
        )


class StoreLocked(WorkbenchError):
    """The store cannot be opened with the given secret, or without one."""

    def __init__(self, reason: str, advice: str) -> None:
        super().__init__(tr("{reason} Nothing was changed. {advice}", reason=reason, advice=advice))


class WrongSecret(WorkbenchError):
    """A passphrase, code or file that does not open the store; says which kind, never the value."""

    def __init__(self, what: str, advice: str = "") -> None:
        super().__init__(
            tr(
                "{what} does not open this store. Nothing was changed. {advice}",
                what=what,
                advice=advice
                or tr("Try again, or use another protector: `workbench keys status` lists them."),
            )
        )


class UnusableSecret(WorkbenchError):
    """A value that cannot be used as a new secret or key file."""

    def __init__(self, reason: str, advice: str) -> None:
        super().__init__(tr("{reason} Nothing was changed. {advice}", reason=reason, advice=advice))


class DamagedKeyFile(WorkbenchError):
    """The key file is truncated, altered, or not a key file."""

    def __init__(self, path: str, reason: str, kept: str | None = None) -> None:
        advice = (
            tr(
                "An earlier version was kept as {kept}: check it, and put it in the "
                "place of the damaged one.",
                kept=kept,
            )
            if kept
            else tr("Put a backup of this file in its place; without it the store cannot be opened.")
        )
        super().__init__(
            tr(
                "The key file {path} cannot be used: {reason}. Nothing was "
                "overwritten; the store is untouched. {advice}",
                path=path,
                reason=reason,
                advice=advice,
            )
        )


class FutureVersion(WorkbenchError):
    """A file that a newer version of the program wrote."""

    def __init__(self, path: str, version: str) -> None:
        super().__init__(
            tr(
                "{path} was written by a newer version ({version}). Nothing was "
                "overwritten. Open it with that version, or update this one.",
                path=path,
                version=version,
            )
        )


class ForeignDatabase(WorkbenchError):
    """The database and the key file do not belong together."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            tr(
                "{path} does not belong to the keys beside it: {reason}. Nothing was "
                "overwritten. Put the database and the key file of the same backup "
                "into this folder.",
                path=path,
                reason=reason,
            )
        )


class StoreGone(WorkbenchError):
    """The keys belong to a database that is missing or empty."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            tr(
                "{path} {reason}, though its keys are there. No new one was made in "
                "its place. Restore a backup of it; to start over, move everything out "
                "of this folder.",
                path=path,
                reason=reason,
            )
        )


class NotEncrypted(WorkbenchError):
    """The database, or the library that opens it, is not encrypted."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            tr(
                "The store was not opened: {reason}. Nothing was written. Reinstall the program's packages.",
                reason=reason,
            )
        )


class StoreInUse(WorkbenchError):
    """Another process uses the folder, and the operation needs exclusive access."""

    def __init__(self, place: str, advice: str) -> None:
        super().__init__(
            tr("Another process is using {place}. Nothing was changed. {advice}", place=place, advice=advice)
        )


class TooFewProtectors(WorkbenchError):
    """Refused because a single forgotten passphrase or broken keyring could lose the history."""

    def __init__(self) -> None:
        super().__init__(
            tr(
                "A store keeps at least two ways to open it. Nothing was changed. Add "
                "another one before removing this one."
            )
        )


class KeyringUnusable(WorkbenchError):
    """The system has no keyring, or only one that does not protect its contents."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            tr(
                "The system's keyring cannot be used: {reason}. Nothing was written. "
                "Use a passphrase (WORKBENCH_PASSPHRASE without a terminal) or "
                "--key-file FILE.",
                reason=reason,
            )
        )
        self.reason = reason


class KeyLingers(WorkbenchError):
    """An unused key that could not be removed from where it was stored."""

    def __init__(self, origin: str) -> None:
        super().__init__(
            tr(
                "The old key for {origin} is no longer used, but the system's keyring, "
                "which still has it, could not be asked to forget it. Remove it there "
                'under "Context Workbench", and revoke it at the provider.',
                origin=origin,
            )
        )


class RotationFailed(WorkbenchError):
    """A new key could not be put in place; the old one is still valid."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            tr(
                "The key was not changed: {reason}. The store, the old key and the old "
                "recovery code are as before. Try again when the cause is gone.",
                reason=reason,
            )
        )


class CannotOpen(WorkbenchError):
    """Another program's file that is encrypted with an unknown key, or damaged."""
