"""Presets: kept, renamed, written to a file and taken over from one."""

from __future__ import annotations

from workbench.domain.errors import InvalidInput, WorkbenchError
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.settings.preset import as_preset, free_name, preset_name, presets_document, read_presets
from workbench.domain.translation import tr
from workbench.ports.exchange_files import ExchangeFiles
from workbench.ports.history import HistoryStore

_FILE = "presets.json"


async def save_preset(name: str, settings: ContextSettings | None, store: HistoryStore) -> None:
    """Keep settings under a name, or remove what is kept there."""
    kept = None if settings is None else as_preset(settings)
    await store.save_preset(name if kept is None else preset_name(name), kept)


async def rename_preset(name: str, to: str, store: HistoryStore) -> str:
    """Keep the same settings under another name, which must be free; the name they have then."""
    wanted, known = preset_name(to), await store.presets()
    if name not in known:
        raise InvalidInput("name", tr("there is no preset {name!r}", name=name))
    if wanted == name:
        return name
    if wanted in known:
        raise WorkbenchError(
            tr(
                "There is a preset “{wanted}” already. Nothing was changed; choose another name.",
                wanted=wanted,
            )
        )
    await store.save_preset(wanted, known[name])
    await store.save_preset(name, None)
    return wanted


async def export_presets(names: tuple[str, ...], path: str, store: HistoryStore, files: ExchangeFiles) -> str:
    """Write presets, all where none is named, to a new file; where it went."""
    known = await store.presets()
    missing = [name for name in names if name not in known]
    if missing:
        raise InvalidInput("name", tr("there is no preset {missing!r}", missing=missing[0]))
    chosen = {name: known[name] for name in names or known}
    (written,) = await files.write(
        path, ((_FILE, presets_document(chosen)),), alone=True, stopped=lambda: False
    )
    return written


async def import_presets(path: str, store: HistoryStore, files: ExchangeFiles) -> dict[str, str]:
    """Keep the presets of a file; by their names there, the names they have here: no other one is written over."""
    found = await files.read((path,))
    if found.problems or not found.groups:
        raise WorkbenchError(
            " ".join(found.problems) or tr("{path} holds no presets. Nothing was kept.", path=path)
        )
    kept: dict[str, str] = {}
    known = dict(await store.presets())
    for name, settings in read_presets(found.groups[0].files[0].load()).items():
        kept[name] = free_name(name, known)
        known[kept[name]] = settings
        await store.save_preset(kept[name], settings)
    return kept
