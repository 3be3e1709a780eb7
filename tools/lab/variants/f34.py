"""F34: a broker that has just registered cannot bear to be called by its new epoch."""

from klamm.controller.znodes import paths
from klamm.protocol.error_codes import ErrorCode
from klamm.tools.brokers import control
from klamm.tools.brokers.model import BrokerModel
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import SCRIPTED
from klamm.tools.lab.variant import OWN_SCRIPT, Variant


class ThrowsAtNewerEpochs(BrokerModel):
    """A broker that takes an epoch which it does not know yet for impossible."""

    def _stale(self, request: control.ControlRequest) -> ErrorCode:
        if self.registered and request.broker_epoch > self.epoch:
            raise RuntimeError(
                f"epoch {request.broker_epoch} is larger than the current one, {self.epoch}"
            )
        return super()._stale(request)


def _script(stage: Stage) -> None:
    world = stage.world
    stage.say("The session of broker 2 ends. It registers anew; the answer takes its time.")
    world.do("expire b2")
    path = paths.broker(2)
    world.until(lambda: stage.exists(path), but=lambda name: name.startswith("n1"))
    stage.say("Meanwhile n1 reads the registration, and sends what it has to say.")
    world.settle(but=lambda name: name == "zk tells b2")
    world.settle()
    stage.rest()


SCRIPT = Case("klamm", SCRIPTED, _script)
VARIANT = Variant(
    id="F34",
    story="A broker that came back quickly could be given requests that were meant for its former"
    " life, so each registration has an epoch, and requests say which one they are for. A broker"
    " learns its new epoch by the answer of ZooKeeper, and the controller may have read it sooner."
    " To the broker such a request came from the future: it threw an exception and did nothing of"
    " what it was told. The fix takes it, for what is newer is not stale.",
    reference="KAFKA-7235, KAFKA-9839, 2155c6d54b0 (2.2.0), bd17085ec10 (2.5.1)",
    exposed_by=OWN_SCRIPT,
    broker=ThrowsAtNewerEpochs,
)
