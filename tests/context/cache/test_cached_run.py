"""What a cache serves is one run from the start: all of some rows, the beginning of one, nothing of the rest."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.context.explain.row_facts import CachedRun


def test_rows_before_the_end_are_hits_one_is_cut_and_the_rest_is_new():
    run = CachedRun(10)
    assert [run.take(tokens) for tokens in (4, 6, 5)] == [("hit", 4), ("hit", 6), ("new", 0)]
    cut = CachedRun(10)
    assert [cut.take(tokens) for tokens in (4, 8, 5)] == [("hit", 4), ("part", 6), ("new", 0)]


def test_where_nobody_can_say_nothing_is_marked():
    assert CachedRun(None).take(5) == ("none", 0)
    assert CachedRun(None).ahead(5) is None


def test_a_request_that_no_cache_has_is_new():
    assert CachedRun(0).take(5) == ("new", 0)


def test_it_can_begin_in_the_middle_and_go_on_elsewhere():
    run = CachedRun(10, at=8)
    assert (run.ahead(5), run.take(5), run.at) == (2, ("part", 2), 13)
    assert run.elsewhere(3).take(4) == ("hit", 4)
    assert run.at == 13


@given(st.lists(st.integers(0, 9), max_size=12), st.integers(0, 60))
def test_the_parts_sum_to_what_is_cached_and_no_hit_follows_a_miss(sizes: list[int], read: int):
    run = CachedRun(min(read, sum(sizes)))
    taken = [run.take(tokens) for tokens in sizes]
    assert sum(cached for _, cached in taken) == min(read, sum(sizes))
    marks = [mark for mark, _ in taken]
    assert marks == sorted(marks, key=["hit", "part", "new"].index)
    assert marks.count("part") <= 1
