"""Rules that change a watched program's requests on their way, and what became of each in one request."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Annotated, Literal, get_args

from workbench.domain.errors import InvalidInput
from workbench.domain.reading.constraints import Between
from workbench.domain.translation import tr

RuleName = Literal[
    "tools.without", "text.freeze", "results.shorten", "secrets.redact", "block.drop", "cache.mark"
]
RULE_NAMES: tuple[RuleName, ...] = get_args(RuleName)
NEEDS_VALUES: Mapping[RuleName, str] = {
    "tools.without": tr("names of tools, such as tools.without=CronCreate,mcp__*"),
    "text.freeze": tr("the place of a text, such as text.freeze=system[2].text"),
    "block.drop": tr("the place of a block, such as block.drop=system[1]"),
}
RuleState = Literal["applied", "skipped", "off"]

NO_CHANGE = tr("Nothing in this request to change.")
NOT_UNDERSTOOD = tr("not understood")
"""Why a body passes unchanged that is not plain JSON of its API."""
WAITING = tr("Waits for the next rebuild.")
NO_GAIN = tr("no gain")
SWITCHED_OFF = tr("switched off")
REFUSED = tr(
    "{switched_off}: the server refused a request that it changed, and took it unchanged.",
    switched_off=SWITCHED_OFF,
)

LEAST_RESULT_TOKENS, MOST_RESULT_TOKENS = 50, 100_000
_NUMBERS = ("tokens", "after")
_PATH = re.compile(r"[A-Za-z_]\w*(?:\[\d+\]|\.[A-Za-z_]\w*)*")
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of a watched program.

    Attributes:
        values: names of tools (with * as a wildcard), or places in a body; a place may end in ~ and how its text
            begins, so that another text there stays.
        tokens, after: to how many tokens results are shortened, and after how many exchanges.
        why: why it was switched off by itself, or NO_GAIN; empty where nothing happened.
    """

    name: RuleName
    values: tuple[str, ...] = ()
    tokens: Annotated[int, Between(LEAST_RESULT_TOKENS, MOST_RESULT_TOKENS)] = 400
    after: Annotated[int, Between(1, 1000)] = 4
    on: bool = True
    why: str = ""

    @property
    def text(self) -> str:
        """The rule as it is written on the command line."""
        if self.name == "results.shorten":
            return f"{self.name}=tokens={self.tokens},after={self.after}"
        return f"{self.name}={','.join(self.values)}" if self.values else self.name

    def names(self, tool: str) -> bool:
        """Whether a tool's name is among its values."""
        return any(fnmatchcase(tool, value) for value in self.values)


def parse_rule(text: str) -> Rule:
    """Read a rule from "NAME" or "NAME=VALUE,…"; `InvalidInput` says what is wrong."""
    written, *behind = re.split(r"[=\s]", text.strip(), maxsplit=1)
    rest = "".join(behind)
    name = next((one for one in RULE_NAMES if one == written), None)
    if name is None:
        raise InvalidInput(
            "--rule",
            tr(
                "{written!r} is no rule; the rules are {rule_names}",
                written=written[:40],
                rule_names=", ".join(RULE_NAMES),
            ),
        )
    values = tuple(dict.fromkeys(one for part in rest.split(",") for one in _split(name, part) if one))
    if name == "results.shorten":
        return _shortening(values)
    if (needed := NEEDS_VALUES.get(name)) is not None:
        if not values:
            raise InvalidInput("--rule", tr("{name} needs {needed}", name=name, needed=needed))
    elif values:
        raise InvalidInput("--rule", tr("{name} takes no values", name=name))
    for value in values:
        if name != "tools.without" and not _PATH.fullmatch(value.partition("~")[0]):
            raise InvalidInput(
                "--rule",
                tr("{value!r} is no place in a request, such as system[2].text", value=value[:_LONGEST]),
            )
    return Rule(name, values)


def _split(name: RuleName, part: str) -> list[str]:
    return [part.strip()] if "~" in part else part.split()


def _shortening(values: Iterable[str]) -> Rule:
    given = {"tokens": 400, "after": 4}
    for value in values:
        key, _, number = value.partition("=")
        if key not in given or not (number.isascii() and number.isdigit() and len(number) < 9):
            raise InvalidInput("--rule", tr("results.shorten takes tokens=N and after=K"))
        given[key] = int(number)
    tokens, after = given["tokens"], given["after"]
    if not LEAST_RESULT_TOKENS <= tokens <= MOST_RESULT_TOKENS or not 1 <= after <= 1000:
        raise InvalidInput(
            "--rule",
            tr(
                "results.shorten takes tokens={least_result_tokens} or more, and after=1 or more",
                least_result_tokens=LEAST_RESULT_TOKENS,
            ),
        )
    return Rule("results.shorten", tokens=tokens, after=after)


def merged(rules: Iterable[Rule], new: Rule) -> tuple[Rule, ...]:
    """The rules with a new one; values of one that is there already are added to it, and it is switched on."""
    kept = tuple(rules)
    old = next((one for one in kept if one.name == new.name), None)
    if old is None:
        return tuple(sorted((*kept, new), key=lambda one: RULE_NAMES.index(one.name)))
    joined = replace(new, values=tuple(dict.fromkeys((*old.values, *new.values))))
    return tuple(joined if one is old else one for one in kept)


def without(rules: Iterable[Rule], gone: Rule) -> tuple[Rule, ...]:
    """The rules without some values of one; without values, or with all of them gone, the rule itself goes."""
    found = []
    for one in rules:
        left = tuple(value for value in one.values if value not in gone.values) if gone.values else ()
        if one.name != gone.name:
            found.append(one)
        elif left:
            found.append(replace(one, values=left))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class ProgramRules:
    """What is kept for one watched program.

    Attributes:
        program: as it is shown ("Claude Code").
    """

    program: str
    rules: tuple[Rule, ...] = ()


@dataclass(frozen=True, slots=True)
class RuleOutcome:
    """What became of a rule in one request.

    Attributes:
        rule: as it is written. note: what it was about, in a few words.
        removed, added: the texts that left and came, for counting; not kept.
        tokens_saved: negative where it added more than it took. usd: what that is worth; None where no price is known.
    """

    rule: str
    state: RuleState
    why: str = ""
    note: str = ""
    tokens_saved: int = 0
    usd: float | None = None
    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.rule.partition("=")[0]


@dataclass(frozen=True, slots=True)
class Changed:
    """A request as it is to be sent on.

    Attributes:
        body: uncompressed; None where it passes byte for byte.
        restore: secrets by their placeholders, to be put back in the calls of the answer.
        by_rules: not by a person, whose request is never sent another way.
    """

    body: bytes | None = None
    outcomes: tuple[RuleOutcome, ...] = ()
    restore: Mapping[str, str] | None = None
    by_rules: bool = True


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person decided about a held request: why it is not sent, or what is sent in its place, if anything."""

    refusal: str = ""
    body: bytes | None = None
