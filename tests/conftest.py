"""Plugins and settings that every test folder shares."""

from hypothesis import settings

pytest_plugins = ["kafka_python_sockets", "requirement_rows", "zookeeper_fixture"]

# No example is too slow: how long one takes depends on what else the machine does.
settings.register_profile("klamm", deadline=None)
settings.load_profile("klamm")
