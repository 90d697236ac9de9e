"""The clock follows the server's."""

from datetime import UTC, datetime, timedelta

from token_client.clock import Clock


def test_it_goes_by_the_server():
    clock = Clock()
    clock.learn(datetime.now(UTC) + timedelta(seconds=90))
    assert 89 < clock.behind.total_seconds() < 91


def test_a_clock_that_is_right_stays():
    assert abs((Clock().now() - datetime.now(UTC)).total_seconds()) < 1


def test_behind_is_added():
    assert Clock(timedelta(hours=1)).now() > datetime.now(UTC) + timedelta(minutes=59)
