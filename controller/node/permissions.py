"""The access control lists that a node goes by: read when a session begins, and kept up to date.

Rules
1. The lists are watched first and read afterwards, so no change is missed; what changes while
   something is read is read next. This holds in office and out of it.
2. What the node's own door has changed counts before its client is answered.
3. Without a connection the node goes by what it has read. The next one begins with rule 1 again.
4. While it is not known which lists there are, those read before stay. A list that cannot be read
   denies (`klamm.controller.security.authorizer`, rule 5), and is read again from time to time.

Source: Kafka 3.9, AclAuthorizer.scala, startZkChangeListeners, loadCache. Kafka hears of changes by
notices alone; here the lists are watched, and notices are written for the others.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from klamm.controller.node.effects import ArmWatch, Effect, Journal, ReadZnodes, SetTimer, Severity
from klamm.controller.security.acls import AccessRule, ResourcePattern
from klamm.controller.security.authorizer import AclAuthorizer
from klamm.controller.security.stored import AclsChanged, AclSurvey, pattern_at
from klamm.controller.store.port import ReadDone, Refused, Unknown, Watch, WatchDone
from klamm.controller.znodes import paths

PERMISSIONS_TIMER = "permissions"
#: How long what ZooKeeper refused to show is left alone.
AGAIN_SECONDS = 5.0

#: Requests to the store are numbered from here on, and those of doors start above.
FIRST_REQUEST = 1 << 61
END_OF_REQUESTS = 1 << 62

WATCHES = (Watch(paths.ACLS, recursive=True), Watch(paths.EXTENDED_ACLS, recursive=True))


@dataclass(slots=True)
class Permissions:
    """What one node knows; `authorizer` begins with what was read before the node was made."""

    authorizer: AclAuthorizer
    up: bool = False
    stale: set[ResourcePattern] = field(default_factory=set)
    #: Which lists there are is to be read again, and then each of them.
    all_stale: bool = False
    survey: AclSurvey | None = None
    #: ZooKeeper refused to tell of changes, so everything is read from time to time.
    unwatched: bool = False
    #: The number of the newest request; answers to earlier ones are out of date.
    last: int = FIRST_REQUEST
    #: What the last reading could not read, which the journal has been told.
    faults: frozenset[str] = frozenset()

    @staticmethod
    def owns(request: int) -> bool:
        """Tell whether a store's answer of this number is for the permissions of a node."""
        return FIRST_REQUEST < request < END_OF_REQUESTS

    @staticmethod
    def watches(path: str) -> bool:
        """Tell whether events of this path are for the permissions alone."""
        return path.startswith(paths.ACLS)

    def connected(self) -> Iterator[Effect]:
        """Watch, and read everything; whatever was under way ended with the connection."""
        self.up, self.survey, self.all_stale, self.unwatched = True, None, True, False
        yield ArmWatch(self._next(), WATCHES)
        yield from self._look()

    def disconnected(self) -> None:
        """Go by what was read."""
        self.up, self.survey = False, None

    def touched(self, path: str) -> Iterator[Effect]:
        """Take a watch event; most are about something else."""
        pattern = pattern_at(path)
        if pattern is not None:
            self.stale.add(pattern)
            yield from self._look()

    def learn(self, results: Iterable[object]) -> None:
        """Go by what the node's own door has written, if these results tell of lists."""
        for result in results:
            if isinstance(result, AclsChanged):
                self.authorizer = self.authorizer.updated({result.pattern: result.rules})

    def armed(self, event: WatchDone) -> Iterator[Effect]:
        """Say so if the lists cannot be watched, and read them from time to time then."""
        if isinstance(event.failure, Refused):
            self.unwatched = True
            yield Journal(Severity.ERROR, "watch refused", event.failure.error)
            yield SetTimer(PERMISSIONS_TIMER, AGAIN_SECONDS)

    def answered(self, event: ReadDone) -> Iterator[Effect]:
        """Take an answer of the store."""
        survey = self.survey
        if survey is None or event.request != self.last or isinstance(event.outcome, Unknown):
            return  # what was asked before the connection was lost is asked again after it
        if isinstance(event.outcome, Refused):
            survey.faults.append(f"access control lists: {event.outcome.error}")
            survey.blind = True
            yield from self._finish(survey)
            return
        survey.feed(event.outcome, last=event.last)
        if not event.last:
            return
        if survey.reads and not survey.blind:
            yield ReadZnodes(self._next(), survey.reads)
        else:
            yield from self._finish(survey)

    def again(self) -> Iterator[Effect]:
        """Read again what could not be read, now that its time has come."""
        self.all_stale = True
        yield from self._look()

    def _look(self) -> Iterator[Effect]:
        if self.survey is not None or not self.up:
            return
        if self.all_stale:
            self.survey = AclSurvey.of_all()
        elif self.stale:
            self.survey = AclSurvey.of_some(self.stale)
        else:
            return
        self.all_stale, self.stale = False, set()
        yield ReadZnodes(self._next(), self.survey.reads)

    def _finish(self, survey: AclSurvey) -> Iterator[Effect]:
        """Go by what was read, and read what has changed meanwhile."""
        self.survey = None
        if not survey.blind:
            known = self.authorizer.patterns if survey.full else ()
            found = {**dict.fromkeys(known, frozenset[AccessRule]()), **survey.found}
            # What has changed since may have been read before or after that.
            newest = {name: rules for name, rules in found.items() if name not in self.stale}
            self.authorizer = self.authorizer.updated(newest)
        for fault in sorted(set(survey.faults) - self.faults):
            yield Journal(Severity.ERROR, "unreadable", fault)
        self.faults = frozenset(survey.faults)
        if survey.faults or self.unwatched:
            yield SetTimer(PERMISSIONS_TIMER, AGAIN_SECONDS)
        yield from self._look()

    def _next(self) -> int:
        self.last += 1
        return self.last
