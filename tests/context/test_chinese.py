"""Chinese text is recalled, and its facts are found, as those of languages with spaces between words are."""

from __future__ import annotations

from tests.context.answers.test_check_facts import piece, states
from workbench.context.recall.index import Passage, PassageIndex
from workbench.context.recall.rank import ranked

SAID = (
    "数据库连接池在高负载下会耗尽，需要把上限调到 50。",
    "缓存的有效期是五分钟，之后会变冷。",
    "发布会定在 11 月，由王芳负责。",
)


def test_a_message_is_recalled_by_words_that_have_no_spaces_between_them():
    index = PassageIndex()
    for number, text in enumerate(SAID):
        index.add(Passage(str(number), text, "user"))
    assert next(iter(ranked(index, "连接池为什么耗尽？", None))).key == "0"
    assert next(iter(ranked(index, "发布会由谁负责", None))).key == "2"
    assert not list(ranked(index, "今晚吃什么", None))


def test_figures_dates_and_addresses_of_an_answer_are_found_in_the_request():
    source = piece("服务监听端口 8443，每次续期 60 秒，合同签于 2026-05-05，见 https://example.org/api。")
    answer = "端口是 8443，续期为 60 秒，签于 2026-05-05，地址是 https://example.org/api，价格 990 元。"
    found = states(answer, source)
    assert {text: state for text, state in found.items() if state == "absent"}.keys() == {"990 元"}
    assert found["8443"] == "found"
    assert found["https://example.org/api"] == "found"
