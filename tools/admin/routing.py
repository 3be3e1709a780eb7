"""Which node is asked, whom instead, and until when: the cluster as a client sees it.

Source of the behaviour: Kafka 3.9, KafkaAdminClient.java and AdminMetadataManager.java. Nodes and
controller come from Metadata, or from DescribeCluster of bootstrap controllers (KIP-919). Error 41
and lost connections lead to a new look and another try, until the time of the call is over. Java
does not give up a node that is silent; here it is left after the request timeout.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TypeVar

import trio

from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.describe_cluster_request import DescribeClusterRequest
from klamm.protocol.generated.describe_cluster_response import DescribeClusterResponse
from klamm.protocol.generated.metadata_request import MetadataRequest
from klamm.protocol.generated.metadata_response import MetadataResponse
from klamm.protocol.message import Message
from klamm.tools.admin.apis import Api, Codes, Make, Place, Target, api
from klamm.tools.admin.errors import (
    AdminError,
    DisconnectedError,
    TimeoutError_,
    UnsupportedVersionError,
    error_of,
    raise_for,
)
from klamm.tools.admin.links import Link, Setup
from klamm.tools.admin.properties import Address

Q = TypeVar("Q", bound=Message)
R = TypeVar("R", bound=Message)

METADATA = api("metadata", MetadataRequest, MetadataResponse, range(1, 14))
DESCRIBE_CLUSTER = api("describeCluster", DescribeClusterRequest, DescribeClusterResponse)
#: The same for controllers, whose version 0 cannot ask for them.
_DESCRIBE_CONTROLLERS = api(
    "describeCluster", DescribeClusterRequest, DescribeClusterResponse, range(1, 3)
)

#: The endpoint type of controllers in DescribeCluster (EndpointType.java).
CONTROLLERS = 2
#: Kafka 4: what the client knows of the cluster is too old to go by (KIP-1102).
_REBOOTSTRAP_REQUIRED = 129


class Router:
    """The nodes of a cluster, those that were told last, and the links to them."""

    def __init__(self, setup: Setup, *, bootstrap_controller: bool) -> None:
        self._setup = setup
        self.bootstrap_controller = bootstrap_controller
        self._links: dict[int, Link] = {}
        self._controller: int | None = None
        self._is_stale = True
        self._looking = trio.Lock()

    async def ask(
        self, api: Api[Q, R], target: Target, make: Make[Q], codes: Codes[R], deadline: float
    ) -> R:
        """Ask until there is a response of the right node; `deadline` is in trio's time.

        Raises TimeoutError_ after it, AuthenticationError and UnsupportedVersionError at once, the
        latter for Place.OFFERING when no node serves the request.
        """
        if self.bootstrap_controller and target is Place.ANY:
            target = Place.CONTROLLER  # LeastLoadedBrokerOrActiveKController
        tries, last = 0, None
        refusing: set[int | None] = set()
        pauses = self.pauses()
        with trio.move_on_at(deadline):
            while True:
                try:
                    await self._look()
                    if (link := self._pick(target, refusing)) is not None:
                        tries += 1
                        try:
                            response = await link.ask(api, make)
                        except UnsupportedVersionError:
                            refusing.add(link.node)
                            if target is Place.OFFERING and not refusing.issuperset(self._links):
                                continue
                            raise
                        if not self._is_elsewhere(codes(response)):
                            return response
                        last = error_of(ErrorCode.NOT_CONTROLLER, None, last)
                except DisconnectedError as error:
                    last = error
                self._is_stale = True
                await trio.sleep(next(pauses))
        raise _too_late(api.name, tries, last)

    async def close(self) -> None:
        """Close all connections."""
        for link in self._links.values():
            await link.close()

    def _pick(self, target: Target, refusing: Collection[int | None]) -> Link | None:
        """Return the link to ask, None while it is not known; not one that refuses."""
        if target is Place.CONTROLLER:
            return None if self._controller is None else self._links.get(self._controller)
        if isinstance(target, int):
            return self._links.get(target)
        willing = (link for link in self._links.values() if link.node not in refusing)
        return min(willing, key=self._worth, default=None)

    def _worth(self, link: Link) -> tuple[bool, int, bool, bool]:
        """Sort links: what is busy would keep a call waiting, and what failed may fail again.

        The controller knows first what it has changed itself, and an open connection saves time.
        """
        return link.is_busy, link.failures, link.node != self._controller, not link.is_open

    def _is_elsewhere(self, codes: Iterable[int]) -> bool:
        """Tell whether the node says that it is not the controller.

        Controllers of KRaft say it by 6 in some responses (handleNotControllerError).
        """
        wrong = {int(ErrorCode.NOT_CONTROLLER)}
        if self.bootstrap_controller:
            wrong.add(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        return not wrong.isdisjoint(codes)

    async def _look(self) -> None:
        """Learn nodes and controller again if they are stale; raises DisconnectedError."""
        async with self._looking:
            if not self._is_stale:
                return
            failures: list[DisconnectedError] = []
            for link in self._ways():
                try:
                    await self._learn(link)
                except DisconnectedError as error:
                    failures.append(error)
                else:
                    self._is_stale = False
                    return
                finally:
                    if link.node is None:
                        await link.close()
            texts = "; ".join(str(failure) for failure in failures)
            raise DisconnectedError(f"no node can be reached: {texts}") from failures[-1]

    def _ways(self) -> Iterator[Link]:
        """Yield whom to ask for nodes: idle connections, bootstrap servers, whoever else is known.

        One that is busy may wait for a node that stands still.
        """
        links = sorted(self._links.values(), key=self._worth)
        idle = [link for link in links if link.is_open and not link.is_busy]
        yield from idle
        for address in self._setup.options.bootstrap:
            yield Link(self._setup, address, None)
        yield from (link for link in links if link not in idle)

    async def _learn(self, link: Link) -> None:
        if self.bootstrap_controller:
            answer = await link.ask(
                _DESCRIBE_CONTROLLERS, lambda _: DescribeClusterRequest(endpoint_type=CONTROLLERS)
            )
            raise_for(answer.error_code, answer.error_message)
            nodes = {node.broker_id: Address(node.host, node.port) for node in answer.brokers}
            await self._replace(nodes, answer.controller_id)
            return
        found = await link.ask(METADATA, lambda version: MetadataRequest())
        if found.error_code == _REBOOTSTRAP_REQUIRED:
            await self._replace({}, -1)
            raise DisconnectedError(f"{link} wants its clients to begin anew")
        raise_for(found.error_code)
        if not found.brokers:
            raise DisconnectedError(f"{link} knows no broker")
        nodes = {node.node_id: Address(node.host, node.port) for node in found.brokers}
        await self._replace(nodes, found.controller_id)

    async def _replace(self, nodes: dict[int, Address], controller: int) -> None:
        """Take what was told; links to nodes that stay where they are go on."""
        before = self._links
        kept = {
            node: before[node]
            for node, address in nodes.items()
            if node in before and before[node].address == address
        }
        self._links = {
            node: kept.get(node) or Link(self._setup, address, node)
            for node, address in nodes.items()
        }
        self._controller = controller if controller in nodes else None
        for node, link in before.items():
            if node not in kept:
                await link.retire()

    def pauses(self) -> Iterator[float]:
        """Yield the pauses between tries, in seconds: they double up to the longest."""
        options = self._setup.options
        pause = options.retry_backoff_ms
        while True:
            yield min(pause, options.retry_backoff_max_ms) / 1000
            pause = min(2 * pause, options.retry_backoff_max_ms)


class Session:
    """One call of a client: what it asks, of whom, all before one deadline."""

    def __init__(self, router: Router, timeout_ms: int, request_timeout_ms: int) -> None:
        self.timeout_ms = timeout_ms
        self._router = router
        self._request_timeout_ms = request_timeout_ms
        self._deadline = trio.current_time() + timeout_ms / 1000
        self._pauses = router.pauses()

    async def ask(
        self,
        api: Api[Q, R],
        target: Target,
        make: Make[Q],
        codes: Codes[R] = lambda response: (),
    ) -> R:
        """Ask a node; see `Router.ask`. Where `codes` have 41 the next controller is asked."""
        return await self._router.ask(api, target, make, codes, self._deadline)

    async def pause(self, name: str) -> None:
        """Wait before a part of the call is tried again; raises TimeoutError_ with its name."""
        if trio.current_time() + (seconds := next(self._pauses)) > self._deadline:
            raise _too_late(name, 1, None)
        await trio.sleep(seconds)

    @property
    def by_controller(self) -> bool:
        """Tell whether only controllers are known, which answer for all brokers."""
        return self._router.bootstrap_controller

    @property
    def patience_ms(self) -> int:
        """How long a node may hold a request to wait for its end.

        A tenth less than the answer is waited for here, so that it arrives.
        """
        left = round((self._deadline - trio.current_time()) * 1000)
        return max(1, min(left, self._request_timeout_ms) * 9 // 10)


def _too_late(name: str, tries: int, last: AdminError | None) -> TimeoutError_:
    # The first text is Java's, which scripts look for; what has kept it from a node comes after.
    text = f"Timed out waiting for a node assignment. Call: {name}"
    if tries:
        text = f"Timed out after {tries} {'try' if tries == 1 else 'tries'}. Call: {name}"
    error = TimeoutError_(text if last is None else f"{text}: {last}")
    error.__cause__ = last
    return error
