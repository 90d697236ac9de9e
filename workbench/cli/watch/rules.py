"""`workbench watch rules`: the rules that are kept for watched programs, and those of one watch."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from workbench.cli.open_history import changing, opened
from workbench.cli.services import Services
from workbench.cli.terminal import print_json, print_table, tell, visible_line
from workbench.domain.errors import InvalidInput
from workbench.domain.translation import tr
from workbench.domain.watch.exchange import program_name
from workbench.domain.watch.rules import RULE_NAMES, ProgramRules, Rule, merged, parse_rule, without
from workbench.domain.workspace import EVERYWHERE, Workspace, rules_of, with_rules

if TYPE_CHECKING:
    from workbench.engine.watch.ruling import Ruling
    from workbench.engine.watch.stored_requests import Keeper
    from workbench.ports.workspaces import WorkspaceStore


def rules_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the subcommand."""
    parser.add_argument(
        "does", choices=("list", "add", "remove"), help="list them, add some, or remove some or all"
    )
    parser.add_argument(
        "of", nargs="?", metavar="PROGRAM", help="such as claude, codex, or as it names itself"
    )
    parser.add_argument(
        "rule", nargs="*", metavar="RULE", help="as for watch --rule; to remove: its name is enough"
    )


async def run_rules(arguments: argparse.Namespace, services: Services) -> int:
    """Lists or changes the rules of watched programs."""
    given = [parse_rule(one) for one in arguments.rule] if arguments.does == "add" else []
    if arguments.does != "list" and (not arguments.of or (arguments.does == "add" and not given)):
        raise InvalidInput(
            tr("watch rules"), tr("{does} needs a program and what to {does}", does=arguments.does)
        )
    if arguments.does == "list":
        async with opened(services, writable=False) as store:
            kept = (await everywhere(services.workspaces(store))).watched
    else:
        async with changing(services) as store:
            kept = await _change(services.workspaces(store), arguments, given)
    wanted = program_name(arguments.of or "").lower()
    shown = [(one.program, rule) for one in kept if wanted in ("", one.program.lower()) for rule in one.rules]
    if arguments.json:
        print_json([{"program": program, "rule": rule.text, **_document(rule)} for program, rule in shown])
        return 0
    print_table([
        (visible_line(program), visible_line(rule.text), "on" if rule.on else "off", rule.why)
        for program, rule in shown
    ])  # fmt: skip
    if not shown:
        tell(tr("No rules. Requests pass unchanged."))
    return 0


def _document(rule: Rule) -> dict[str, object]:
    fields = asdict(rule)
    return {name: fields[name] for name in ("name", "values", "tokens", "after", "on", "why")}


async def _change(
    places: WorkspaceStore, arguments: argparse.Namespace, given: Sequence[Rule]
) -> tuple[ProgramRules, ...]:
    kept = await everywhere(places)
    program = program_name(arguments.of)
    mine = rules_of(kept, program)
    rules = mine.rules
    for one in given:
        rules = merged(rules, replace(one, on=True, why=""))
    if arguments.does == "remove":
        for written in arguments.rule or [one.name for one in rules]:
            rules = without(rules, parse_removed(written))
    changed = with_rules(kept, replace(mine, rules=rules))
    await places.save_workspace(changed)
    return changed.watched


def parse_removed(written: str) -> Rule:
    """A rule to remove, of which the name alone is enough."""
    name = next((one for one in RULE_NAMES if one == written), None)
    return parse_rule(written) if name is None else Rule(name)


async def everywhere(places: WorkspaceStore) -> Workspace:
    """What is kept for every chat and every program."""
    found = [one for one in await places.workspaces() if one.id == EVERYWHERE]
    return found[0] if found else Workspace(EVERYWHERE)


async def watch_rules(
    arguments: argparse.Namespace, services: Services, keeper: Keeper | None
) -> Ruling | None:
    """What applies rules in one watch: those that were named, and those that are kept; None where there are none."""
    named = tuple(parse_rule(one) for one in arguments.rule)
    places = None if keeper is None else services.workspaces(keeper.store)
    kept = () if places is None else (await everywhere(places)).watched
    if not named and not any(one.rules for one in kept):
        return None
    from workbench.engine.watch.ruling import Ruling

    rules: tuple[Rule, ...] = ()
    for one in named:
        rules = merged(rules, one)
    ruling = Ruling(kept, rules, services.new_id().encode())
    ruling.on_change = _tell_changed
    return ruling


async def keep_changed_rules(ruling: Ruling, services: Services, keeper: Keeper | None) -> None:
    """Keep which of the kept rules switched themselves off in this watch, or were found to bring nothing."""
    if keeper is None:
        return
    places = services.workspaces(keeper.store)
    kept = await everywhere(places)
    for one in kept.watched:
        whys = {rule.name: rule for rule in ruling.kept.get(one.program.lower(), one).rules}
        rules = tuple(replace(rule, on=whys[rule.name].on, why=whys[rule.name].why) for rule in one.rules)
        if rules != one.rules:
            kept = with_rules(kept, replace(one, rules=rules))
            await places.save_workspace(kept)


def _tell_changed(program: str, rules: Sequence[Rule]) -> None:
    for rule in rules:
        if rule.why:
            tell(
                visible_line(
                    tr(
                        "workbench watch: {program}: {text}: {why}",
                        program=program,
                        text=rule.text,
                        why=rule.why,
                    )
                )
            )
