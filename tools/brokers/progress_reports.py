"""How a leader tells the controller what its followers have fetched.

Kafka's brokers have nothing like it. An event is a served fetch of a follower that is being added
or behind; the newest of each follower in an interval go in one request, one request at a time. A
controller that does not take it, as Kafka's, is offered the next one after a while.
"""

import math
from collections.abc import Iterable, Iterator, Mapping

from klamm.controller.core.fact_events import ReplicaProgress
from klamm.controller.core.model import TopicPartition
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.report_fetch_progress_response import ReportFetchProgressResponse
from klamm.tools.brokers.asks import Answered, AskReportFetchProgress
from klamm.tools.brokers.calls import Calls
from klamm.tools.brokers.registration import Registration
from klamm.tools.brokers.replica import Replica

#: Seconds until the next request after one that was not taken.
AGAIN_UNTAKEN = 5.0

#: The first offset of each log: those of simulated brokers are never cut at their beginning.
_START = 0


class ProgressReports:
    """What one broker has to tell, every `interval` seconds at most; never if that is infinite.

    `replicas` are those that it hosts, which are the caller's.
    """

    def __init__(
        self,
        calls: Calls,
        registration: Registration,
        broker: int,
        replicas: Mapping[TopicPartition, Replica],
        interval: float,
    ) -> None:
        self._calls = calls
        self._registration = registration
        self._broker = broker
        self._replicas = replicas
        self._interval = interval
        #: Partitions with followers of whom there may be something to tell.
        self._names: set[TopicPartition] = set()
        self._told_at = -math.inf
        self._due = math.inf
        #: The number of the request under way, 0 for none.
        self._sent = 0

    @property
    def deadline(self) -> float:
        """When `advance` has something to do."""
        return self._due

    def fetched(self, now: float, replica: Replica, broker: int) -> None:
        """Note that a follower has fetched, or fetches in another way from now on."""
        if self._interval == math.inf or not replica.leads:
            return
        follower = replica.followers.get(broker)
        if follower is not None and (follower.lagging or broker in replica.adding):
            self._names.add(replica.name)
            if self._due == math.inf and not self._sent:
                self._due = now + self._interval

    def to_look_at(self, now: float) -> Iterable[TopicPartition]:
        """Return the partitions whose logs `advance` is going to compare, if it is time to."""
        return tuple(sorted(self._names)) if now >= self._due else ()

    def advance(self, now: float) -> None:
        """Tell what is new, if it is time to."""
        if now < self._due:
            return
        since, self._told_at = self._told_at, now
        events: list[ReplicaProgress] = []
        for name in sorted(self._names):
            replica = self._replicas.get(name)
            if replica is not None and replica.leads:
                events += _events(replica, since)
            if replica is None or not _fetches(replica):
                self._names.discard(name)
        self._due = now + self._interval if self._names else math.inf
        if events:
            self._due = math.inf
            self._sent = self._calls.ask(
                lambda number: AskReportFetchProgress(
                    number, self._broker, self._registration.epoch, tuple(events)
                )
            )

    def answered(self, now: float, answered: Answered) -> None:
        """Take the controller's answer, or that there was none; what was told is not repeated."""
        if not self._sent or answered.number != self._sent:
            return
        self._sent = 0
        taken = ReportFetchProgressResponse(error_code=ErrorCode.NONE)
        again = self._interval if answered.response == taken else AGAIN_UNTAKEN
        self._due = max(now, self._told_at + again) if self._names else math.inf


def _events(replica: Replica, since: float) -> Iterator[ReplicaProgress]:
    """Make an event of the last fetch after `since` of each that is being added or behind.

    Whoever stays at the leader's end fetches all the time.
    """
    end = replica.log.end
    for broker, follower in replica.followers.items():
        if follower.end is None or not (follower.lagging or broker in replica.adding):
            continue
        if follower.fetching or follower.served_at > since:
            reached = end if follower.fetching else follower.end
            yield ReplicaProgress(replica.name, broker, reached, _START, end)


def _fetches(replica: Replica) -> bool:
    """Tell whether followers fetch of whom there will be more to tell."""
    return replica.leads and any(
        follower.lagging or (follower.fetching and broker in replica.adding)
        for broker, follower in replica.followers.items()
    )
