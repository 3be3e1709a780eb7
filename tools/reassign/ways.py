"""The two ways to move partitions, behind one interface: through a server, or a ZooKeeper.

Source: KIP-179 ("An interface will abstract the commands currently issued directly to zookeeper").
"""

from __future__ import annotations

from typing import Protocol

from klamm.tools.admin import Admin
from klamm.tools.reassign.execute import ExecuteOptions, execute
from klamm.tools.reassign.generate import generate
from klamm.tools.reassign.option import Dialect
from klamm.tools.reassign.output import Output
from klamm.tools.reassign.throttles import Alter
from klamm.tools.reassign.verify import verify


class Ways(Protocol):
    """The actions that both ways can do. Texts of files come in, texts for people go out.

    They raise TerseError and CommandError, and through a server AdminError.
    """

    def generate(self, topics_json: str, broker_list: str, *, rack_aware: bool) -> None:
        """Print the present assignment and a proposed one."""

    def execute(self, plan_json: str, options: ExecuteOptions) -> None:
        """Start a plan."""

    def verify(
        self, plan_json: str, *, preserve_throttles: bool, dialect: Dialect, alter: Alter
    ) -> None:
        """Print the state of each partition, and clear throttles once nothing moves.

        `alter` is how a server is asked for it.
        """


class ServerWays:
    """By requests."""

    def __init__(self, admin: Admin, output: Output) -> None:
        self._admin = admin
        self._output = output

    def generate(self, topics_json: str, broker_list: str, *, rack_aware: bool) -> None:
        """See `Ways`."""
        generate(self._admin, topics_json, broker_list, self._output, rack_aware=rack_aware)

    def execute(self, plan_json: str, options: ExecuteOptions) -> None:
        """See `Ways`; the options' dialect says which requests."""
        execute(self._admin, plan_json, options, self._output)

    def verify(
        self, plan_json: str, *, preserve_throttles: bool, dialect: Dialect, alter: Alter
    ) -> None:
        """See `Ways`."""
        verify(
            self._admin,
            plan_json,
            self._output,
            preserve_throttles=preserve_throttles,
            dialect=dialect,
            alter=alter,
        )
