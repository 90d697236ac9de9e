"""Facts of an answer held against pieces of a request: states, places, what was cut, and bad input."""

from __future__ import annotations

import time

import pytest

from workbench.context.answers.facts import FactMemory, check_facts
from workbench.context.answers.pieces import Origin, SentPiece
from workbench.domain.answer_facts import AnswerFact
from workbench.domain.segment import LayerName
from workbench.domain.text import digest_text

LAYERS: dict[Origin, LayerName] = {"source": "L3_TURN", "person": "L5_USER", "model": "L4_STRIP"}


def piece(text: str, origin: Origin = "source", key: str = "a.md", *, sent: bool = True) -> SentPiece:
    return SentPiece(key, key, LAYERS[origin], origin, text, digest_text(text), sent=sent)


def states(answer: str, *pieces: SentPiece) -> dict[str, str]:
    return {fact.text: fact.state for fact in check_facts(answer, pieces)}


def only(answer: str, *pieces: SentPiece) -> AnswerFact:
    (fact,) = check_facts(answer, pieces)
    return fact


def test_each_state_and_the_first_that_holds():
    sources = (
        piece("It takes 250 ms."),
        piece("I have 14 files.", "person"),
        piece("Try 330 rows.", "model"),
    )
    answer = "It takes 250 ms with 14 files, 330 rows, 264 in all, and 9,999 more."
    assert states(answer, *sources) == {
        "250 ms": "found", "14": "question", "330": "earlier_answer", "264": "computed", "9,999": "absent",
    }  # fmt: skip
    assert only("It takes 250 ms.", piece("250 ms", "person"), piece("250 ms")).state == "found"


def test_a_place_is_the_line_that_fits_the_sentence_best():
    text = "A backup takes 60 seconds.\nnothing\nAn expired token is renewed for 60 seconds.\nend"
    (place,) = only("An expired token can be renewed for 60 seconds.", piece(text)).where
    assert (place.line, place.text[place.start : place.end]) == (3, "60 seconds")
    assert (place.before, place.after) == ("nothing", "end")


def test_at_most_five_places_and_all_mentions_of_one_fact():
    pieces = [piece("port 8443", key=f"{n}.md") for n in range(9)]
    fact = only("Port 8443, and again 8443.", *pieces)
    assert len(fact.where) == 5
    assert [("Port 8443, and again 8443.")[a:b] for a, b in fact.spans] == ["8443", "8443"]


@pytest.mark.parametrize(
    ("answer", "at"),
    [("It is “ﬁne” at 12:30 o'clock", 15), ("…½ and 12:30", 7), ("ｆｕｌｌ 12:30", 5), ("e\u0301 12:30", 3)],
)
def test_places_are_those_of_the_answer_as_it_was_written(answer: str, at: int):
    """Cleaning changes the length of some characters; the mark would stand beside the words."""
    found = [fact for fact in check_facts(answer, ()) if fact.kind == "time"]
    assert [(fact.text, fact.spans[0][0]) for fact in found] == [("12:30", at)]


def test_what_was_cut_is_absent_and_says_where_it_stood():
    gone = piece("Health checks go to port 8443.", "model", "m3", sent=False)
    fact = only("They go to 8443.", gone)
    assert fact.state == "absent"
    assert fact.cut is not None
    assert fact.cut.key == "m3"


def test_a_block_is_a_quotation_only_if_half_of_it_stands_in_the_request():
    source = piece("host = 1\nport = 2\nworkers = 4\n")
    quoted = check_facts("```\nhost = 1\nport = 2\nworkers = 16\n```", [source])
    assert [(fact.kind, fact.state, fact.text) for fact in quoted] == [
        ("quotation", "found", "host = 1\nport = 2\nworkers = 16"),
        ("code", "absent", "workers = 16"),
    ]
    assert check_facts("```\nretry = 99\nhost = 1\nwait = 17.5\n```", [source]) == ()


def test_computed_numbers_say_how_and_small_ones_are_none():
    source = piece("A token lives 900 seconds; it is renewed 30 seconds before. 2 and 5.")
    fact = check_facts("It lives 900 seconds, less 30 seconds: 870 seconds.", [source])[-1]
    assert (fact.state, fact.how) == ("computed", "900 seconds − 30 seconds")
    assert states("With 2 and 5 that is 7.", source)["7"] == "absent"


def test_a_quotation_has_at_least_four_words():
    source = piece("the seal is intact, he said")
    assert states('They say "the seal is intact" and "not at all".', source) == {
        "the seal is intact": "found"
    }


def test_the_same_answer_again_is_not_looked_for_again():
    memory, pieces = FactMemory(), [piece("It takes 250 ms.")]
    assert check_facts("250 ms", pieces, memory) is check_facts("250 ms", pieces, memory)
    assert check_facts("250 ms", [piece("It takes 300 ms.")], memory)[0].state == "absent"


@pytest.mark.parametrize(
    "answer",
    ["", "x", "7", "`", "```", "\x00", "\ud800 5 s", "｀" * 9, '"' * 999, "数" * 20_000, "7 " * 5_000, "a.b" * 9_000,
     "1,234.5.6,7 -0 0.0 1e999 " * 50, "9" * 5_000, "9" * 5_000 + " s", "```\n" + "x = 1\n" * 5_000],
)  # fmt: skip
def test_no_answer_is_too_odd(answer: str):
    check_facts(answer, [piece("x = 1\n7 5 s " + "数" * 100), piece(answer, "person")])


def test_an_answer_of_a_megabyte_and_a_request_of_a_million_tokens_end_soon():
    """Time by the square of either would stop the window for minutes."""
    answer = "".join(f"Row {n} took {n * 7} ms in src/part{n}.py. " for n in range(22_000))
    began = time.process_time()
    check_facts(answer, [piece("It took 14 ms in src/part2.py.")])
    long = piece("".join(f"line {n} of words that say nothing, by Mara Lind\n" for n in range(85_000)))
    check_facts("Line 84999 and 99,999 by Mara Lind and Tom Berg.", [long])
    assert time.process_time() - began < 30


def test_a_list_of_people_has_the_family_name_first():
    assert states("Ask Anna Berg.", piece("Berg, Anna; room 4")) == {"Anna Berg": "found"}
    assert states("Ask Anna Berg.", piece("Berg. Anna stayed.")) == {"Anna Berg": "absent"}


def test_a_title_alone_is_no_name():
    """Frau Dr. Anna Schmidt: the dot ends a run of names, and the title before it was one that no request had."""
    found = states("Es kommt Frau Dr. Anna Schmidt.", piece("Am Montag kommt Frau Dr. Anna Schmidt."))
    assert found == {"Anna Schmidt": "found"}


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("May 12", "12 May"),
        ("12 May 2026", "May 12, 2026"),
        ("Mai 2026", "May 2026"),
        ("Bergs", "Anna Berg"),
        ("30s", "30 s"),
    ],
)
def test_forms_are_found_without_a_pattern_for_each(written: str, said: str):
    """Literal digits, months first and words with an ending are looked up, not matched: none is lost by that."""
    assert set(states(f"It was {said} then.", piece(f"It is Anna {written} there.")).values()) == {"found"}


@pytest.mark.parametrize(
    ("answer", "request_text"),
    [
        ("It lives 3,600 s, that is 1 hour.", "| `expires_in` | 3600 | seconds |"),
        ("The limit is 64 KiB or 8 MiB.", "buffer 65536 bytes, most: 8388608"),
        ("Extra work costs £115 an hour.", "at GBP 115 per hour"),
        ("- 300 g × 2 = 600 g\n- 1,200 g × 2 = 2.4 kg", "- 300 g lentils\n- 1.2 kg potatoes"),
        ("8 of them at 7.25 came to 58.00.", '"qty": 8, "unit_price": 7.25'),
        ("3晚×468元=1,404元。", "每晚468元"),
        ("| 500 g | 1500 g |\n| 250 g | 750 g |\n| 200 g | 600 g |", "500 g, 250 g, 200 g"),
        (
            "Es kostet 1,285 Mio. €. 514.000 € trägt das Land. Für die Gemeinde bleiben 771.000 €.",
            "auf 1.285.000 € geschätzt\ndavon 514.000 €",
        ),
        (
            "Nachzuzahlen sind 264 €, geteilt durch drei macht das 88 €.",
            "1.344 €, vorausgezahlt 1.080 €: 264 €",
        ),
        ("You have 18.19, but the least is 20.11.", "is now 20.11\nwas 18.19"),
        ("Bei dem Brand sind mindestens zehn Meter Abstand und eine Maske nötig.", "keep a distance of 10 m"),
        ("Die Nummer ist 0421 555-8830.", "unter 0421 555-8830"),
        ("账单为12.64万元,其中30,336元是存储。", "账单共计126,400元,其中对象存储占30,336元,比上月低。"),
        ("每次500 mg,14天后复诊。", "二甲双胍0.5 g每日三次;两周后门诊复查"),
        ("上午9点到12点开会,16日晚上6点半聚餐。", "09:00–12:00 开会;9月16日,6点半聚餐"),
        ("不要超过500倍。", "magnification 500x."),
        ("保修3年。", "保修36个月"),
        ("It took 1m 48s.", "after 108 seconds"),
        ("It took 95 minutes.", "flight time 1 h 35 min"),
        ("Die Temperatur ist minus 6 °C.", "at -6 °C"),
        ("Es ist vom 9. Juni an offen, die Sitzung ist am 12. um 10 Uhr.", "open 9-14 June; 12 June, 10:00"),
        ("On Tuesday it is from 9 to 5 pm.", "Tue 9 June 2026, 9:00-17:00"),
        ("It moved on the 24th.", "on 24 June 2026"),
    ],
)
def test_what_a_person_would_call_the_same_is_not_absent(answer: str, request_text: str):
    """Units, times and dates of other forms, and what is computed from other sentences and rows."""
    found = states(answer, piece(request_text))
    assert found
    assert "absent" not in found.values()


@pytest.mark.parametrize(
    ("answer", "request_text", "absent"),
    [
        ("- 300 g × 2 = 620 g", "300 g", "620 g"),
        ("- 320 g × 2 = 640 g", "300 g", "320 g, 640 g"),
        ("| 500 g | 1500 g |\n| 250 g | 850 g |\n| 200 g | 600 g |\n| 60 g | 180 g |", "500 g 250 g 200 g 60 g",
         "850 g"),
        ("It lives 3,600 s, that is 2 hours.", "3600 seconds", "2 hours"),
        ("Es sind 1.285.000 €. 514.000 € trägt das Land. Es bleiben 717.000 €.", "1.285.000 €, 514.000 €", "717.000 €"),
        ("It took 1m 58s.", "after 108 seconds", "1m 58s"),
        ("It moved on the 25th.", "on 24 June 2026", "25th"),
        ("16日到。", "9月17日到", "16"),
        ('Es ist „für den Ausbau unbedingt erforderlich".', "Es ist nötig.", "für den Ausbau unbedingt erforderlich"),
        ("由郑楷评估。", "请假:郑凯\n由郑凯评估", "郑楷"),
        ("这道菜出自庄秀芳的书。", "作者庄秀芬,第86页", "庄秀芳"),
        ("仓库方面请找丁宏伟。", "负责人:丁宏亮", "丁宏伟"),
    ],
)  # fmt: skip
def test_what_is_nearly_so_is_absent(answer: str, request_text: str, absent: str):
    found = states(answer, piece(request_text))
    assert ", ".join(text for text, state in found.items() if state == "absent") == absent
