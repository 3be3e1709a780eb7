"""What a simulated broker answers: its controller by the model, all others by the handlers.

Left out: Produce for clients (key 0's handler refuses it) and Fetch.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType

import trio

from klamm.controller.core.origins import FromClient
from klamm.controller.core.results import Result
from klamm.controller.handlers.api import Context, RequestEvent
from klamm.controller.handlers.from_controllers import denied
from klamm.controller.handlers.releases import DEFAULT
from klamm.controller.handlers.switches import OF_BROKERS, Switch
from klamm.controller.handlers.table import HANDLERS, advertised
from klamm.controller.runtime.audit import audit
from klamm.controller.runtime.exchange import Exchange
from klamm.controller.runtime.replies import carry_out
from klamm.controller.runtime.standby import FROM_CONTROLLERS
from klamm.controller.security.authorizer import ALLOW_ALL
from klamm.protocol import registry
from klamm.tools.brokers.cluster import Cluster, Effects
from klamm.tools.brokers.door import BrokerDoor
from klamm.tools.brokers.led_copies import LedCopies
from klamm.tools.brokers.own_log_dirs import OwnLogDirs
from klamm.tools.brokers.settings import BrokerSettings


def served(release: str, switches: Collection[Switch] = ()) -> Mapping[int, range]:
    """Return what ApiVersions shows, and what is served, as this release of Kafka."""
    own = {
        key: versions
        for key, versions in advertised((), release, switches).items()
        if key in OF_BROKERS
    }
    control = {kind.api_key: registry.request(kind.api_key).versions for kind in FROM_CONTROLLERS}
    return MappingProxyType({**advertised(release=release), **own, **control})


#: That of a broker which is not told otherwise.
SERVED = served(DEFAULT)


class BrokerService:
    """Dispatches the requests of one broker, whose model is in the cluster while it runs.

    `versions` are those that ApiVersions shows, `carry_out` makes what requests come of the model.
    """

    def __init__(
        self,
        settings: BrokerSettings,
        versions: Mapping[int, range],
        cluster: Cluster,
        door: BrokerDoor,
        carry_out: Callable[[Effects], None],
    ) -> None:
        self._settings = settings
        self._versions = versions
        self._cluster = cluster
        self._door = door
        self._carry_out = carry_out
        self._log_dirs = OwnLogDirs(settings.id, cluster, carry_out)
        self._copies = LedCopies(settings.id, cluster, carry_out)

    def dispatch(self, exchange: Exchange) -> None:
        """Serve one request; `klamm.controller.runtime.server` calls it."""
        settings, body = self._settings, exchange.request.body
        header = exchange.request.header
        version = header.request_api_version
        model = self._cluster.brokers.get(settings.id)
        if model is None:
            exchange.disconnect(f"broker {settings.id} has not started yet, or is ending")
            return
        permissions = self._door.permissions
        context = Context(
            settings.id,
            settings.endpoint.listener,
            self._versions,
            model.metadata,
            properties=settings.properties,
            client=exchange.client,
            authorizer=permissions.authorizer if permissions is not None else ALLOW_ALL,
            log_dirs=self._log_dirs,
            copies=self._copies,
        )
        audit(exchange)
        refused = denied(context, body)
        if refused is not None:
            exchange.respond(refused)
            return
        if isinstance(body, FROM_CONTROLLERS):
            now = trio.current_time()
            response, effects = self._cluster.request(now, settings.id, body, version)
            self._carry_out(effects)
            exchange.respond(response)
            return
        outcome = HANDLERS[header.request_api_key].handle(context, body, version)
        carry_out(exchange, outcome, _no_controller, self._door.transact)


def _no_controller(
    events: tuple[RequestEvent, ...],
    respond: Callable[[Sequence[Result]], None],
    origin: FromClient,
) -> None:
    raise RuntimeError(f"a broker has no core to decide on {events}")
