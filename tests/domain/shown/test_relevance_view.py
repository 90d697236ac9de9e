"""What is shown of a question's relevance: nothing is suggested unless somebody says so."""

from workbench.domain.shown.attachment_view import Relevance


def test_at_first_nothing_is_known_and_nothing_is_suggested():
    empty = Relevance()
    assert (dict(empty.shares), empty.suggestions, empty.open, empty.opinion) == ({}, (), False, None)
