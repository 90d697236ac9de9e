"""The words of a page, with the marks they had."""

from __future__ import annotations

import pytest

from workbench.engine.exchange.gemini_format import words_of_html


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("<p>One</p><p>Two &amp; <b>three</b></p>", "One\n\nTwo & **three**"),
        ("<h2>Title</h2>Text<br>more", "## Title\n\nText\nmore"),
        ("<ul><li>a</li><li><em>b</em></li></ul>", "- a\n- *b*"),
        ("<pre><code>x  =\n  1</code></pre>after", "```\nx  =\n  1\n```\n\nafter"),
        ("use <code>ls</code>", "use `ls`"),
        ("<table><tr><td>a</td><td>b</td></tr></table>", "| a | b"),
        ("<script>evil()</script>shown<style>p{}</style>", "shown"),
        ("<p>open <b>and", "open **and"),
        ("</pre></script>", "```"),
        ("", ""),
    ],
)
def test_words_and_marks(page: str, words: str):
    assert words_of_html(page) == words
