"""Plugins and settings that every test folder shares."""

import gc

import pytest
from hypothesis import settings

pytest_plugins = ["kafka_python_sockets", "requirement_rows", "zookeeper_fixture"]

# No example is too slow: how long one takes depends on what else the machine does.
settings.register_profile("klamm", deadline=None)
settings.load_profile("klamm")


def pytest_collection_finish(session: pytest.Session) -> None:
    """Spare the garbage collector what stays to the end: thousands of tests, and all modules."""
    gc.collect()
    gc.freeze()
