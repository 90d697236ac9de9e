"""Finds numbers written as words or in Chinese characters, by the language of the text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_USUAL = {
    language: frozenset(words.split())
    for language, words in {
        "en": "the and of to is in that it for was with on are be this have not you at by they we from",
        "de": "der die das und ist nicht ein eine zu den mit von auf für im dem des sich wir ich auch sind",
        "fr": "le la les et est de des un une du en que pour dans pas sur nous vous il elle avec ce au",
        "es": "el la los las y es de un una del en que por para no con se su al lo como más hay son",
    }.items()
}
_SMALL = {
    "en": "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen",
    "de": "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn "
    "siebzehn achtzehn neunzehn",
    "fr": "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize",
    "es": "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis "
    "diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis "
    "veintisiete veintiocho veintinueve",
}  # fmt: skip
_TENS = {
    "en": "twenty thirty forty fifty sixty seventy eighty ninety",
    "de": "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig",
    "fr": "vingt trente quarante cinquante soixante",
    "es": "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
}
_OTHERS = {
    "hundred": 100, "hundert": 100, "cent": 100, "cents": 100, "cien": 100, "ciento": 100, "doscientos": 200,
    "trescientos": 300, "cuatrocientos": 400, "quinientos": 500, "vingts": 20,
    "a": 1, "an": 1, "ein": 1, "eine": 1, "einen": 1, "einer": 1, "une": 1, "una": 1,
}  # fmt: skip
SCALES = {
    "hundred": 2, "thousand": 3, "tausend": 3, "mille": 3, "mil": 3, "million": 6, "millions": 6, "millionen": 6,
    "mio": 6, "millón": 6, "millones": 6, "milliarde": 9, "milliarden": 9, "mrd": 9, "milliard": 9, "milliards": 9,
    "bn": 9, "billion": 9, "billions": 9, "billionen": 12, "billón": 12, "billones": 12, "trillion": 12,
    "千": 3, "万": 4, "萬": 4, "만": 4, "亿": 8, "億": 8, "억": 8,
}  # fmt: skip
"""How many zeros a word adds to the number before it."""
_ELSEWHERE = {
    "once": "es", "seize": "fr", "cent": "fr", "cents": "fr", "sept": "fr", "neuf": "fr", "elf": "de", "dos": "es",
    "mil": "es", "null": "de", "acht": "de",
}  # fmt: skip
"""Words that are another word in another language: they count in a text of their own one alone."""
_UNSURE = frozenset({"one", "eins", "un", "uno", "null", "neuf", "zero", "cero", "zéro"}) | {
    word for word, value in _OTHERS.items() if value == 1
}
"""Words that may be an article, a pronoun or another word: they match a digit, but a summary need not keep them."""
_WORD = re.compile(r"[^\W\d_]+")
_AND = {" and ", " y ", " et ", "-et-"}
_SIGNS = "〇零一二三四五六七八九"
_TIMES = {"十": 10, "百": 100, "千": 1_000, "万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
_CHINESE = re.compile(
    "(?<![第万萬])(?!万一|千万|一一|十分)(?:[〇零一二两兩三四五六七八九十百千万萬亿億]{2,20}"
    "|[二两兩三四五六七八九十](?=[元円圆年月日号號人天周週点點時时秒岁歲个個]))"
)


def _number_words() -> dict[str, int]:
    """All number words with their values, including German compounds such as "einundzwanzig"."""
    found = dict(_OTHERS)
    for words in _SMALL.values():
        found |= {word: value for value, word in enumerate(words.split())}
    for words in _TENS.values():
        found |= {word: 10 * value for value, word in enumerate(words.split(), 2)}
    ones = ["", "ein", *_SMALL["de"].split()[2:10]]
    for tens, word in enumerate(_TENS["de"].split(), 2):
        found |= {f"{ones[one]}und{word}": 10 * tens + one for one in range(1, 10)}
    return found


_VALUES = _number_words()
NUMBER_WORDS = frozenset(word for word, value in _VALUES.items() if value > 1) | frozenset(SCALES)
_ALL = frozenset(_VALUES) | frozenset(SCALES)
_ARTICLES = frozenset({"a", "an"})
"""They say something with a scale alone: a hundred."""


def words_for(value: int) -> frozenset[str]:
    """The words that a number may begin with where it is spelled out, in any language."""
    if value >= 100:
        return frozenset(
            word for word in (*SCALES, *_OTHERS) if _VALUES.get(word, 100) >= 100 and word.isalpha()
        )
    begins = {value, value // 10 * 10} if value > 20 else {value}
    return frozenset(word for word, worth in _VALUES.items() if worth in begins and word not in _ARTICLES)


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number in words and its end; an uncertain one may be another word."""

    text: str
    value: int
    end: int
    sure: bool = True


def language_of(text: str) -> str:
    """The language with the most common words in a text; English where there are none."""
    counts = Counter(_WORD.findall(text.lower()))
    return max(_USUAL, key=lambda language: sum(counts[word] for word in _USUAL[language]))


def zeros_of(scale: str, language: str) -> int:
    """How many zeros a scale word adds; "billion" means three more outside English."""
    zeros = SCALES[scale.lower()]
    return 12 if scale.lower() in ("billion", "billions") and language != "en" else zeros


def numerals(text: str, language: str) -> Iterator[Numeral]:
    """The numbers of a text that are written without digits."""
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = "".join(sign.lower()[:1] for sign in text)
    if not (_ALL - _ARTICLES).isdisjoint(_WORD.findall(lowered)):
        found = [
            one
            for one in _WORD.finditer(lowered)
            if one[0] in _ALL and _ELSEWHERE.get(one[0], language) == language
        ]
        for run in _runs(lowered, found):
            if len(run) > 1 or run[0][0] not in _ARTICLES:
                yield _spelled(text, run, language)
    for one in _CHINESE.finditer(text):
        yield Numeral(one[0], _chinese(one[0]), one.end())


def _runs(text: str, words: Sequence[re.Match[str]]) -> Iterator[list[re.Match[str]]]:
    """Groups of words that form one number; a scale word after digits is not one."""
    run: list[re.Match[str]] = []
    for one in words:
        between = text[run[-1].end() : one.start()] if run else ""
        # "Twenty two-person teams" are no 22.
        apart = between == " " and text[one.end() : one.end() + 1] == "-"
        if run and (apart or not _goes_on(run[-1][0], between, one[0])):
            yield run
            run = []
        if run or not re.search(r"\d[ \u202f-]?$", text[max(0, one.start() - 2) : one.start()]):
            run.append(one)
    if run:
        yield run


def _goes_on(last: str, between: str, word: str) -> bool:
    """Whether a word continues the number before it: "two hundred", "twenty-one", but not "two, three"."""
    if between not in _AND and between not in (" ", "-"):
        return False
    if word in SCALES or _VALUES.get(word) == 100:
        return between not in _AND
    value, before = _VALUES[word], _VALUES.get(last, 0)
    if last in SCALES or (before >= 100 and before % 100 == 0):
        return value > 1 or word == "one"
    if word.startswith("vingt"):
        return last == "quatre"
    if last == "dix":
        return 7 <= value <= 9
    teens = last in ("soixante", "vingt", "vingts")
    return before % 10 == 0 and before >= 20 and 0 < value < (20 if teens else 10) and between != " and "


def _spelled(text: str, run: Sequence[re.Match[str]], language: str) -> Numeral:
    total = now = 0
    for one in run:
        word = one[0]
        if word in SCALES and _VALUES.get(word) != 100:
            times = 10 ** zeros_of(word, language)
            # Three thousand million: a scale right behind another is of all before it.
            total = total + now * times if now else (total or 1) * times
            now = 0
        elif _VALUES[word] == 100 or (word.startswith("vingt") and now % 100 == 4):
            now = (now or 1) * _VALUES[word]
        else:
            now += _VALUES[word]
    first = run[0][0]
    sure = not (len(run) == 1 and (first in _UNSURE or first in SCALES))
    return Numeral(text[run[0].start() : run[-1].end()], total + now, run[-1].end(), sure)


def _chinese(signs: str) -> int:
    """The value of 三万五千, and of 二〇二四, which are digits one by one."""
    signs = signs.replace("两", "二").replace("兩", "二").replace("零", "〇")
    digits = "〇" + _SIGNS[2:]
    if all(sign in digits for sign in signs):
        return int("".join(str(digits.index(sign)) for sign in signs))
    total = part = now = 0
    for sign in signs:
        if sign in digits:
            now = digits.index(sign)
        elif _TIMES[sign] < 10**4:
            part, now = part + (now or 1) * _TIMES[sign], 0
        elif total < _TIMES[sign]:
            total, part, now = (total + part + now or 1) * _TIMES[sign], 0, 0
        else:
            total, part, now = total + (part + now or 1) * _TIMES[sign], 0, 0
    return total + part + now


MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january januar janvier enero", "february februar février febrero", "march märz mars marzo",
            "april avril abril", "may mai mayo", "june juni juin junio", "july juli juillet julio",
            "august août agosto", "september septembre septiembre", "october oktober octobre octubre",
            "november novembre noviembre", "december dezember décembre diciembre",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
UNITS = {
    written: names.split()[0]
    for names in (
        "% percent prozent procent pourcent", "ms millisecond milliseconds millisekunden 毫秒",
        "s sec secs second seconds sekunde sekunden secondes segundos 秒",
        "min mins minute minutes minuten minutos 分钟 分鐘",
        "h hr hrs hour hours std stunde stunden heures horas 小时 小時",
        "B bytes byte",
        "GB gigabytes gigabyte G", "MB megabytes megabyte", "TB terabytes terabyte", "KB kB kilobytes kilobyte",
        "GiB", "MiB", "KiB", "km kilometres kilometers kilometer 公里 千米", "m metre metres meter meters 米",
        "cm 厘米",
        "mm 毫米", "kg kilograms kilogramm 公斤 千克", "g gram grams gramm 克", "mg 毫克",
        "ml milliliter millilitres 毫升",
        "l liter litre liters litres 升", "°C", "°F",
        "$ USD dollar dollars 美元", "€ EUR euro euros 欧元 歐元", "£ GBP pound pounds pfund 英镑 英鎊",
        "¥ JPY yen CNY RMB 元 円 日元", "CHF", "Hz", "kHz", "MHz", "GHz", "W", "kW",
        "kWh", "V", "px", "day days tag tage tagen jour jours día días 天", "k", "°",
        "week weeks woche wochen semaine semaines semana semanas 周 週 星期",
        "month months monat monate monaten mois mes meses 个月 個月",
        "year years jahr jahre jahren ans année années año años 年",
    )
    for written in names.split()
}  # fmt: skip
CALENDAR = {
    word: f"m:{number}" for word, number in MONTHS.items() if word not in ("may", "march", "mars", "mayo")
} | {
    word: f"wd:{number}"
    for number, names in enumerate(
        (
            "monday mondays montag montags lundi lunes", "tuesday tuesdays dienstag dienstags mardi martes",
            "wednesday wednesdays mittwoch mittwochs mercredi miércoles",
            "thursday thursdays donnerstag donnerstags jeudi jueves",
            "friday fridays freitag freitags vendredi viernes",
            "saturday saturdays samstag samstags sonnabend samedi sábado",
            "sunday sundays sonntag sonntags dimanche domingo",
        ),
        start=1,
    )
    for word in names.split()
}  # fmt: skip
"""Months and days by themselves, with a capital letter or without; a few months are other words, too."""
_DAYS = "Mon Tue Wed Thu Fri Sat Sun Mo Di Mi Do Fr Sa So"
SHORT_DAYS = {word: f"wd:{number % 7 + 1}" for number, word in enumerate(_DAYS.split())}
MONTHS |= {
    word: number
    for number, words in enumerate(
        (
            "jan jän janv ene", "feb févr", "mar mär mrz", "apr avr abr", "", "jun", "jul juil", "aug ago",
            "sep sept", "oct okt", "nov", "dec dez déc dic",
        ),
        start=1,
    )
    for word in words.split()
}  # fmt: skip
