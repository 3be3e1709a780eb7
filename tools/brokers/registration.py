"""How a broker enters the cluster: the paths it needs, the cluster's id, its own znode.

Source: Kafka 3.9, KafkaServer.startup, KafkaZkClient.registerBroker and CheckedEphemeral.
"""

from klamm.controller.core.ibp import KNOWN, by_name
from klamm.controller.core.ops import ANY_VERSION, Create, Delete, SetData
from klamm.controller.store.port import (
    CommitDone,
    Committed,
    Missing,
    ReadData,
    ReadDone,
    UpdateDone,
    Znode,
)
from klamm.controller.znodes import (
    BrokerZnode,
    decode_cluster_id,
    encode_broker,
    encode_cluster_id,
    paths,
)
from klamm.tools.brokers.calls import Calls, Done
from klamm.tools.brokers.settings import BrokerSettings

_FIRST_WITH_FEATURES = KNOWN.index(by_name("2.7-IV0"))


class BrokerIdInUseError(Exception):
    """A live session of another broker, or of a klamm node, holds the id; Kafka's broker exits."""


class Registration:
    """Registers one broker, anew under each session; its epoch is the znode's czxid.

    A controller node of klamm is told to clients as a broker of its id, so no broker may have it:
    nodes look for brokers before they register, and brokers here look for nodes. `epoch` is -1
    and `cluster_id` None until they are known.
    """

    def __init__(self, calls: Calls, settings: BrokerSettings) -> None:
        self._calls = calls
        self._settings = settings
        self._path = paths.broker(settings.id)
        self._node_path = paths.klamm_node(settings.id)
        self._sessions: set[int] = set()
        self._session = 0
        self._commit = 0
        self._look = 0
        self._look_for_node = 0
        self._ask_id = 0
        self._clear = 0
        self.epoch = -1
        self.cluster_id: str | None = None

    @property
    def done(self) -> bool:
        """Tell whether the broker is registered and knows its cluster."""
        return self.epoch >= 0 and self.cluster_id is not None

    def connected(self, session: int) -> None:
        """Start over under a new session; the former one's znode is gone or will be removed."""
        if session == self._session:
            return
        self._session = session
        self._sessions.add(session)
        for path in (*paths.PERSISTENT_PATHS, "/cluster"):
            self._calls.update(Create(path, None))
        offered = encode_cluster_id(self._settings.cluster_id)
        self._calls.update(Create(paths.CLUSTER_ID, offered))
        self._ask_id = self._calls.read(ReadData(paths.CLUSTER_ID))
        self._look_for_node = self._calls.read(ReadData(self._node_path))

    def answered(self, done: Done) -> None:
        """Take a settled answer. Raises BrokerIdInUseError."""
        match done:
            case CommitDone(request=self._commit, outcome=Committed(results=results)):
                czxid = results[0].czxid
                assert czxid is not None, "a creation has a czxid"
                self.epoch = czxid
            case CommitDone(request=self._commit):
                self._look = self._calls.read(ReadData(self._path))
            case ReadDone(request=self._look_for_node, outcome=(Znode() as znode,)):
                raise self._taken("a klamm node", znode)
            case ReadDone(request=self._look_for_node, outcome=(Missing(),)):
                self._register()
            case ReadDone(request=self._look, outcome=(Znode() as znode,)):
                self._found(znode)
            case ReadDone(request=self._look) | UpdateDone(request=self._clear):
                self._register()
            case ReadDone(request=self._ask_id, outcome=(Znode(data=data),)):
                self.cluster_id = decode_cluster_id(data)
            case _:
                pass  # a path that existed before, or somebody else's answer

    def _register(self) -> None:
        settings = self._settings
        features = KNOWN.index(settings.protocol) >= _FIRST_WITH_FEATURES
        znode = BrokerZnode(
            settings.id,
            (settings.endpoint,),
            settings.rack,
            version=5 if features else 4,
            timestamp=settings.timestamp_ms,
        )
        # Created empty and then set, as Kafka does, so that its dataVersion is 1.
        create = Create(self._path, None, ephemeral=True)
        self._commit = self._calls.commit(create, SetData(self._path, encode_broker(znode), 0))

    def _found(self, znode: Znode) -> None:
        """Our id is taken: by this session (a repeated write), a former one, or a stranger."""
        if znode.ephemeral_owner == self._session:
            self.epoch = znode.czxid
        elif znode.ephemeral_owner in self._sessions:
            self._clear = self._calls.update(Delete(self._path, ANY_VERSION))
        else:
            raise self._taken("a broker", znode)

    def _taken(self, who: str, znode: Znode) -> BrokerIdInUseError:
        return BrokerIdInUseError(
            f"broker id {self._settings.id} is taken: {who} of that id is registered in"
            f" {znode.path} by session {znode.ephemeral_owner:#x}; give another id, or wait until"
            " that session has ended"
        )
