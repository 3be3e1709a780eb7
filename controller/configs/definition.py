"""One config: its name, type, default and valid values."""

from dataclasses import dataclass

from klamm.controller.configs.values import Check, Kind, Value, parse, show


@dataclass(frozen=True, slots=True)
class Definition:
    """A config as Kafka defines it.

    `default` is as DescribeConfigs shows it, None if there is none. `synonym` is, for a topic's
    config, the broker's config that gives its default.
    """

    name: str
    kind: Kind
    default: str | None = None
    check: Check | None = None
    doc: str | None = None
    synonym: str | None = None

    def read(self, text: str) -> Value:
        """Read and check a value; raises InvalidValueError."""
        value = parse(self.name, self.kind, text)
        if self.check is not None:
            self.check(self.name, value)
        return value

    def shown(self, text: str) -> str:
        """Return a value as it is shown: as stored if it is none, for somebody must see it."""
        try:
            return show(self.read(text))
        except ValueError:
            return text
