"""A client that may do nothing, or nothing with some topics."""

from dataclasses import dataclass, replace

from klamm.controller.handlers.api import Context
from klamm.controller.security.acls import Operation, ResourceType
from klamm.controller.security.principals import Client


@dataclass(frozen=True, slots=True)
class Denies:
    """Denies everything with resources of these names; without names with all."""

    names: frozenset[str] = frozenset()

    def allows(
        self, client: Client, operation: Operation, resource_type: ResourceType, name: str
    ) -> bool:
        return bool(self.names) and name not in self.names


def denied(context: Context, *names: str) -> Context:
    """Whoever asks on this context may not do anything with these resources, or with any."""
    return replace(context, authorizer=Denies(frozenset(names)))
