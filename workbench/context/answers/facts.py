"""Holds the facts of an answer against the request it was made from: which of them stand in it, and where."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import groupby

from workbench.context.answers.computed import Computing
from workbench.context.answers.pieces import Origin, SentPiece
from workbench.context.answers.said import TITLES, Said, Span, facts_said, own_code
from workbench.context.answers.searching import Form, SearchedText, fitting, forms_of, spelled_forms
from workbench.context.shorten.facts import CJK, NO_OPENING, cleaned, words_at
from workbench.context.shorten.numerals import language_of
from workbench.domain.answer_facts import MOST_CHARS, MOST_PLACES, AnswerFact, FactPlace, FactState
from workbench.domain.text import digest_text

_STATES: Mapping[Origin, FactState] = {"source": "found", "person": "question", "model": "earlier_answer"}
_CAPITAL = rf"[^\W\d_a-zß-öø-ÿ{CJK}][^\W\d_]+"
_AFTER = re.compile(f" {_CAPITAL}")
_BEFORE = re.compile(rf"\b({_CAPITAL}) $")
_PAIR = re.compile(rf"\b({_CAPITAL})(?= ({_CAPITAL}))")
_WORD = re.compile(r"\b[a-zß-öø-ÿ]+\b")
# Those that begin few other words, the rest of the usual ones, and those that begin many words.
_SURE = "刘赵吴徐郭郑邓冯曹彭董潘袁蔡蒋魏吕卢姚姜崔谭汪廖贾邹孟秦邱侯尹薛闫阎陶贺郝龚邵戴莫汤俞傅邢翟倪裴聂"
_USUAL = f"{_SURE}王李张陈杨周孙朱胡何罗梁谢宋唐韩曾肖董杜叶程苏沈钟陆范熊顾孔钱庄段焦柳童颜葛柯滕詹骆霍樊耿"
_ALL = f"{_USUAL}林黄马高于丁方金毛江石白任黎常武龙万史章温季凌安余卜田夏洪邬严文牛鲁华齐康伍乔"
_ROLE = "[者人长员师理任授由找]"
_CHINESE_NAME = re.compile(
    f"(?:(?<!\\w)(?=[{_USUAL}])|(?<={_ROLE})|(?<={_ROLE}:))([{_ALL}][{CJK}]{{2}})(?![{CJK}])"
    f"|(?<!\\w)([{_SURE}][{CJK}])(?!\\w)"
)
"""A name of three signs that stands alone or behind what somebody is, or of two that stands alone."""
_CHINESE_ROLE = re.compile(f"{_ROLE}[:是为]?([{_SURE}][{CJK}]{{2}})(?![{CJK}])")
_SHOWN = 240
_KEPT_CHARS = 24_000_000
_KEPT_ANSWERS = 64


Looked = tuple[Said, AnswerFact]


class FactMemory:
    """What was found in texts, by their digest, so that an answer costs only what is new (`bench facts`)."""

    def __init__(self) -> None:
        self._texts: OrderedDict[str, SearchedText] = OrderedDict()
        self._checked: OrderedDict[str, tuple[AnswerFact, ...]] = OrderedDict()
        self._chars = 0

    def text(self, piece: SentPiece) -> SearchedText:
        """A piece's text, ready to be searched."""
        found = self._texts.get(piece.digest)
        if found is None:
            found = self._texts[piece.digest] = SearchedText(piece.text)
            self._chars += len(piece.text)
            while self._chars > _KEPT_CHARS and len(self._texts) > 1:
                self._chars -= len(self._texts.popitem(last=False)[1].text)
        else:
            self._texts.move_to_end(piece.digest)
        return found

    def checked(self, answer: str, pieces: Sequence[SentPiece]) -> tuple[AnswerFact, ...]:
        """The facts of an answer, from the last time where it was held against the same pieces."""
        key = digest_text("\n".join((answer, *(f"{one.layer} {one.key} {one.digest}" for one in pieces))))
        found = self._checked.get(key)
        if found is None:
            found = self._checked[key] = tuple(_Checking(answer, pieces, self).facts())
            while len(self._checked) > _KEPT_ANSWERS:
                self._checked.popitem(last=False)
        return found


def check_facts(
    answer: str, pieces: Sequence[SentPiece], memory: FactMemory | None = None
) -> tuple[AnswerFact, ...]:
    """Every fact of an answer, in its order, with its state and where the request has it.

    Of a very long answer only what stands in its first `MOST_CHARS` is looked for.
    """
    return (memory or FactMemory()).checked(answer, pieces)


class _Texts:
    """The texts of pieces by their origin, and which of them have a run of digits: most numbers are in few of them."""

    def __init__(self, pieces: Iterable[SentPiece], memory: FactMemory) -> None:
        order = list(_STATES)
        self.pieces = sorted(pieces, key=lambda piece: order.index(piece.origin))
        self.texts = [memory.text(piece) for piece in self.pieces]
        self._having: dict[str, list[int]] = {}
        for number, text in enumerate(self.texts):
            for run in text.digits:
                self._having.setdefault(run, []).append(number)

    def where(self, said: Said, forms: Sequence[Form]) -> tuple[Origin, list[FactPlace]] | None:
        """Where the first origin that has a fact has it."""
        found: list[FactPlace] = []
        first: Origin = "source"
        for number, here in self._candidates(forms):
            piece, text = self.pieces[number], self.texts[number]
            if found and piece.origin != first:
                break
            places = text.places(said, here)
            if places:
                first = piece.origin
                found.append(_place(piece, text, fitting(text, places, said.around)))
                if len(found) == MOST_PLACES:
                    break
        return (first, found) if found else None

    def line_named(self, said: Said) -> FactPlace | None:
        """The line of a file that a fact names by its number, where it says what the answer's sentence is about."""
        for piece, text in zip(self.pieces, self.texts, strict=True):
            number = said.line + piece.skipped_lines
            whole = piece.origin == "source" and piece.skipped_lines and not piece.whole
            if whole and number <= len(text.line_starts):
                start = text.line_starts[number - 1]
                if text.shared_words((start, start), said.around):
                    return _place(piece, text, (start, text.line_of(start)[1]))
        return None

    def _candidates(self, forms: Sequence[Form]) -> Iterable[tuple[int, Sequence[Form]]]:
        """The texts that may have a fact, in order, with the forms it may have there."""
        if len(forms) == 1:
            numbers = self._with(forms[0])
            return ((number, forms) for number in numbers if self.texts[number].has(forms[0]))
        found: dict[int, list[Form]] = {}
        for form in forms:
            for number in self._with(form):
                if self.texts[number].has(form):
                    found.setdefault(number, []).append(form)
        return sorted(found.items())

    def _with(self, form: Form) -> Sequence[int]:
        """The texts that have the figures of a form."""
        run = next((need for need in form.needs if need.isdecimal()), None)
        return range(len(self.texts)) if run is None else self._having.get(run, ())


class _Checking:
    def __init__(self, answer: str, pieces: Sequence[SentPiece], memory: FactMemory) -> None:
        self._answer, self._memory = answer[:MOST_CHARS], memory
        self._sent = _Texts((piece for piece in pieces if piece.sent), memory)
        self._pieces = pieces
        self._by_key = {
            (piece.key, piece.layer): (piece, text)
            for piece, text in zip(self._sent.pieces, self._sent.texts, strict=True)
        }

    def facts(self) -> Iterator[AnswerFact]:
        said = facts_said(self._answer, self._first_names())
        looked = [(one, self._looked(one)) for one in said if one.kind != "line"]
        quoted = sorted(
            span for one, fact in looked if one.kind == "quotation" and fact.where for span in one.spans
        )
        looked = [
            pair for pair in looked if pair[0].kind == "quotation" or not _within(pair[0].spans[0], quoted)
        ]
        looked += self._blocks([one for one in said if one.kind == "line"])
        looked.sort(key=lambda pair: pair[0].spans[0])
        own = own_code(self._answer)
        computing = Computing(self._answer, looked, self._row)
        for one, fact in looked:
            if fact.state == "absent":
                how = computing.how(one)
                # What was cut is looked through only where a fact is missing.
                cut = None if how else self._cut.where(one, forms_of(one))
                if how or cut is not None or not _is_own(one, own):
                    yield replace(fact, state="computed" if how else "absent", how=how, cut=cut and cut[1][0])
            else:
                yield fact

    def _first_names(self) -> frozenset[str]:
        """Words that begin names at the start of a sentence, too: as in the request, or before a family name of it."""
        usual = TITLES.union(_WORD.findall(self._answer), NO_OPENING)
        pairs = {pair for pair in _PAIR.findall(self._answer) if pair[0].lower() not in usual}
        names_alone = language_of(self._answer) != "de"  # where nouns are capital, a family name may be one
        words = {
            one
            for one, other in pairs
            if self._begins_names(one) or (names_alone and self._ends_names(other))
        }
        foreign = (text.clean for text in self._sent.texts if text.foreign)
        names = (found[1] or found[2] for clean in foreign for found in _CHINESE_NAME.finditer(clean))
        roles = _CHINESE_ROLE.findall(cleaned(self._answer))
        return frozenset((*words, *roles, *(name for name in names if name[0] in self._answer)))

    def _begins_names(self, word: str) -> bool:
        """Whether a word always stands before a name's next one, and never without a capital letter."""
        texts = self._sent.texts
        after = (_AFTER.match(text.clean, end) for text in texts for _, end in words_at(text.clean, word))
        small = (True for text in texts for _ in words_at(text.clean, word.lower()))
        return _all_of_some(after) and not any(small)

    def _ends_names(self, word: str) -> bool:
        before = (
            _BEFORE.search(text.clean, max(0, start - 30), start)
            for text in self._sent.texts
            for start, _ in words_at(text.clean, word)
        )
        return _all_of_some(one is not None and one[1].lower() not in NO_OPENING for one in before)

    def _looked(self, said: Said) -> AnswerFact:
        """A fact where it stands; numbers in words are looked for where no figures are found."""
        fact = AnswerFact(said.text, "code" if said.kind == "line" else said.kind, said.spans)
        for forms in (forms_of, spelled_forms):
            found = self._sent.where(said, forms(said))
            if found is not None:
                return replace(fact, state=_STATES[found[0]], where=tuple(found[1]))
        named = self._sent.line_named(said) if said.line else None
        return fact if named is None else replace(fact, state="found", where=(named,))

    def _blocks(self, lines: Sequence[Said]) -> list[Looked]:
        """Blocks of code that are quoted: one fact each, and one for every line that differs."""
        found: list[Looked] = []
        for _, block in groupby(lines, key=lambda line: line.block):
            looked = [(line, self._looked(line)) for line in block]
            telling = [pair for pair in looked if any(sign.isalnum() for sign in pair[0].text)]
            there = [pair for pair in telling if pair[1].where]
            if telling and 2 * len(there) >= len(telling):
                first, fact = there[0]
                span = looked[0][0].spans[0][0], looked[-1][0].spans[0][1]
                whole = replace(fact, text=self._answer[span[0] : span[1]], kind="quotation", spans=(span,))
                found.append((replace(first, kind="quotation", spans=(span,)), whole))
                found += [pair for pair in telling if not pair[1].where]
        return found

    @cached_property
    def _cut(self) -> _Texts:
        """What was cut or left out."""
        return _Texts((piece for piece in self._pieces if not piece.sent), self._memory)

    def _row(self, place: FactPlace) -> tuple[SearchedText, int]:
        """The text that a place is in, and its line there."""
        piece, text = self._by_key[place.key, place.layer]
        return text, place.line + piece.skipped_lines


def _all_of_some(found: Iterator[object]) -> bool:
    return bool(next(found, None)) and all(found)


def _is_own(said: Said, code: str) -> bool:
    """Whether an identifier is one that the answer's own code makes: what is new there is not a fact."""
    name = said.text.strip("`").removesuffix("()")
    return (
        said.kind == "code" and bool(name) and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", code) is not None
    )


def _within(span: Span, outer: Sequence[Span]) -> bool:
    """Whether a place is in one of these, which are in order."""
    number = bisect_right(outer, (span[0], MOST_CHARS)) - 1
    return number >= 0 and span[1] <= outer[number][1]


def _place(piece: SentPiece, text: SearchedText, span: Span) -> FactPlace:
    number = text.line_number(span[0])
    start, end = text.line_of(span[0])
    return FactPlace(
        piece.key, piece.name, piece.layer, _own_line(piece, text, number), text.clean[start:end],
        span[0] - start, min(span[1], end) - start, _line(text, number - 1), _line(text, number + 1), piece.turn,
    )  # fmt: skip


def _line(text: SearchedText, number: int) -> str:
    """A line by its number, or nothing."""
    starts = text.line_starts
    if not 1 <= number <= len(starts):
        return ""
    end = starts[number] - 1 if number < len(starts) else len(text.clean)
    return text.clean[starts[number - 1] : min(end, starts[number - 1] + _SHOWN)]


def _own_line(piece: SentPiece, text: SearchedText, number: int) -> int:
    """The line in the file or message itself; 0 in what frames it."""
    if number <= piece.skipped_lines or not piece.whole:
        return max(0, number - piece.skipped_lines)
    line = _line(text, number)
    lines = piece.whole.split("\n")
    return (
        next((at for at, one in enumerate(lines) if line and one.startswith(line)), number)
        - piece.skipped_lines
        + 1
    )
