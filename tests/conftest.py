"""Plugins that every test folder shares."""

pytest_plugins = ["requirement_rows", "zookeeper_fixture"]
