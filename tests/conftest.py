"""Settings that all tests share."""

from hypothesis import settings

# No deadline: on a busy machine it fails tests that are merely slow. The same examples on every run, so
# that a failure seen once can be seen again.
settings.register_profile("repeatable", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("repeatable")
