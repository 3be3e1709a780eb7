"""`klamm users`: credentials for SCRAM, straight in ZooKeeper, as before the first node starts."""

import secrets
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

import click
import trio

from klamm.controller.core.ops import Create
from klamm.controller.core.results import Refusal
from klamm.controller.runtime.sessions import Calls, StoreError
from klamm.controller.security.credentials import (
    USERS,
    AlterCredentials,
    DescribeCredentials,
    Iterations,
    ListUsers,
)
from klamm.controller.security.scram import (
    DEFAULT_ITERATIONS,
    SCRAM_MECHANISMS,
    SHA_512,
    ScramCredential,
    credential_of,
)
from klamm.controller.store.options import ZookeeperOptions
from klamm.controller.store.port import Children, Conflict, Missing, Unreadable, Znode
from klamm.controller.store.transaction import Transaction
from klamm.controller.store.zookeeper import ZookeeperStore
from klamm.controller.znodes import paths
from klamm.controller.znodes.errors import ZnodeError
from klamm.tools.cli._running import plain_faults

T = TypeVar("T")

_SALT_BYTES = 20
_MOST_ITERATIONS = 16384
_PATIENCE_SECONDS = 20.0
_FAULTS = (StoreError, ZnodeError)
_NUMBERS = {mechanism.number: name for name, mechanism in SCRAM_MECHANISMS.items()}

_zookeeper = click.option(
    "--zookeeper",
    required=True,
    metavar="HOST:PORT",
    help="The cluster's ZooKeeper, with a chroot if it has one; of klamm or of Kafka.",
)
_mechanism = click.option(
    "--mechanism",
    type=click.Choice(tuple(SCRAM_MECHANISMS), case_sensitive=False),
    default=SHA_512.name,
    show_default=True,
)


@click.group()
def command() -> None:
    """Set, delete and list what users log in with by SCRAM, in ZooKeeper.

    \b
    For the users that nodes and brokers themselves log in as, who must be there before these
    start. While a cluster runs, kafka-configs --entity-type users does the same by its nodes.
    """


@command.command("put")
@click.argument("name")
@_zookeeper
@_mechanism
@click.option(
    "--iterations",
    type=click.IntRange(DEFAULT_ITERATIONS, _MOST_ITERATIONS),
    default=8192,
    show_default=True,
    help="How often the password is hashed: more make guessing slower, and each login.",
)
@click.password_option(help="Asked for if it is not given, so that nobody sees it in the history.")
def put(name: str, zookeeper: str, mechanism: str, iterations: int, password: str) -> None:
    """Give a user a password, a new one if there was one."""
    if not name or not password:
        raise click.UsageError("a user needs a name and a password")
    chosen = SCRAM_MECHANISMS[mechanism]
    credential = credential_of(chosen, password, secrets.token_bytes(_SALT_BYTES), iterations)
    _alter(zookeeper, name, mechanism, credential)
    click.echo(f"{name} has a password for {mechanism}")


@command.command("delete")
@click.argument("name")
@_zookeeper
@_mechanism
def delete(name: str, zookeeper: str, mechanism: str) -> None:
    """Take a user's password for one mechanism away."""
    _alter(zookeeper, name, mechanism, None)
    click.echo(f"{name} has no password for {mechanism} any more")


@command.command("list")
@_zookeeper
def list_users(zookeeper: str) -> None:
    """Show who has a password, for which mechanism, and its iterations."""

    async def read(calls: Calls) -> dict[str, Iterations]:
        names = await _decided(calls, ListUsers())
        return {name: (await _decided(calls, DescribeCredentials((name,))))[name] for name in names}

    for name, iterations in _run(zookeeper, read).items():
        for number, count in iterations.items():
            click.echo(f"{name}  {_NUMBERS[number]}  {count} iterations")


def _alter(zookeeper: str, name: str, mechanism: str, credential: ScramCredential | None) -> None:
    change = AlterCredentials(name, ((SCRAM_MECHANISMS[mechanism], credential),))

    async def write(calls: Calls) -> None:
        for path in (paths.CONFIG, USERS, paths.CONFIG_CHANGES):
            await calls.update(Create(path, None))
        result = await _decided(calls, change)
        if isinstance(result, Refusal):
            raise click.ClickException(f"{name}: {result.message}")

    _run(zookeeper, write)


async def _decided(calls: Calls, transaction: Transaction[T]) -> T:
    """Carry a transaction out; raises ZnodeError, and click's error if somebody else is faster."""
    found = []
    for read in await calls.read(*transaction.reads):
        if isinstance(read, Unreadable):
            raise StoreError(f"{read.path} cannot be read: {read.error}")
        assert isinstance(read, Znode | Children | Missing)
        found.append(read)
    decision = transaction.decide(tuple(found))
    for op in decision.ops:
        if isinstance(await calls.update(op), Conflict):
            raise click.ClickException(
                f"{op.path} was changed meanwhile by somebody else; try again"
            )
    return decision.result


def _run(zookeeper: str, work: Callable[[Calls], Awaitable[T]]) -> T:
    options = ZookeeperOptions(zookeeper, create_chroot=True)

    async def connected() -> T:
        async with Calls(partial(ZookeeperStore, options)) as calls:
            with trio.move_on_after(_PATIENCE_SECONDS):
                return await work(calls)
        raise click.ClickException(
            f"ZooKeeper on {zookeeper} has not answered within {_PATIENCE_SECONDS:g} s"
        )

    try:
        with plain_faults(*_FAULTS):
            return trio.run(connected)
    except _FAULTS as error:
        raise click.ClickException(str(error)) from error
