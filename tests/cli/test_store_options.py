"""The options every command takes, and that one after the name does not undo one before it."""

from __future__ import annotations

import argparse

from workbench.cli.lazy_parser import add_places


def test_what_is_not_given_is_left_alone():
    parser = argparse.ArgumentParser()
    add_places(parser, default=argparse.SUPPRESS)
    assert vars(parser.parse_args([])) == {}
    assert vars(parser.parse_args(["--data-dir", "D", "--key-file", "K"])) == {
        "data_dir": "D",
        "key_file": "K",
    }
