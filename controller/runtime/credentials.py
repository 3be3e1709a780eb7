"""Credentials for those who log in, read by way of the node's door to ZooKeeper."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import trio

from klamm.controller.core.results import Refusal
from klamm.controller.security.authenticator import RefusedError
from klamm.controller.security.credentials import FindCredential
from klamm.controller.security.scram import CredentialNeeded, ScramCredential
from klamm.controller.store.transaction import Transaction


class Transact(Protocol):
    """Hands transactions to a door; the function is called once, with a result for each."""

    def __call__(
        self, transactions: tuple[Transaction[Any], ...], on_reply: Callable[[Sequence[Any]], None]
    ) -> None:
        """Hand them over."""


async def find_credential(transact: Transact, needed: CredentialNeeded) -> ScramCredential | None:
    """Return a user's credential, None if it has none; raises RefusedError if nobody can tell."""
    results: list[Any] = []
    found = trio.Event()

    def take(answers: Sequence[Any]) -> None:
        results.extend(answers)
        found.set()

    transact((FindCredential(needed.user, needed.mechanism),), take)
    await found.wait()
    [result] = results
    if isinstance(result, Refusal):
        raise RefusedError(f"the credential of {needed.user!r} cannot be read: {result.message}")
    assert result is None or isinstance(result, ScramCredential)
    return result
