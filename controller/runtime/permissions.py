"""The access control lists as a node finds them: it decides by them from its first request on."""

import logging
from itertools import islice

from klamm.controller.runtime.sessions import Calls, OpenStore, StoreError
from klamm.controller.security.authorizer import AclAuthorizer
from klamm.controller.security.stored import AclSurvey
from klamm.controller.store.port import READ_CHUNK, Create, Missing, Read, ReadData, ReadResult
from klamm.controller.znodes import ACL_PATHS

LOG = logging.getLogger("klamm.node")


async def read_permissions(authorizer: AclAuthorizer, open_store: OpenStore) -> AclAuthorizer:
    """Return the authorizer with the lists in ZooKeeper, whose parents are made if there are none.

    Waits as long as ZooKeeper is away. A list that cannot be read is said in the log, and denies.
    Raises StoreError if ZooKeeper refuses, or does not say which lists there are.
    """
    async with Calls(open_store) as calls:
        for found in await calls.read(*(ReadData(path) for path in ACL_PATHS)):
            if isinstance(found, Missing):
                # Whatever comes of it: another node may be first.
                await calls.update(Create(found.path, None))
        survey = AclSurvey.of_all()
        while survey.reads:
            survey.feed(await _read_all(calls, survey.reads))
            if survey.blind:
                raise StoreError("; ".join(survey.faults))
    for fault in survey.faults:
        LOG.error("%s; nobody but super users may use what it is for", fault)
    return authorizer.updated(survey.found)


async def _read_all(calls: Calls, reads: tuple[Read, ...]) -> list[ReadResult]:
    rest, results = iter(reads), list[ReadResult]()
    while chunk := tuple(islice(rest, READ_CHUNK)):
        results.extend(await calls.read(*chunk))
    return results
