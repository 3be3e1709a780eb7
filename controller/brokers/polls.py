"""What brokers of Kafka are asked about copies, and what their answers say.

ListOffsets (key 2) is asked for as the debugging replica does, for then a leader tells its log's
end and not the high watermark, and a follower answers as well. Source: Kafka 3.9,
KafkaApis.handleListOffsetRequest, Partition.fetchOffsetForTimestamp. DescribeLogDirs (key 35) tells
which replicas a broker has and what each lacks. Of a follower that is what it lacks of its own high
watermark, which is never beyond its log (UnifiedLog.updateHighWatermark): 0 while it copies. So the
larger one counts of that and of what lies between both ends.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from klamm.controller.core.fact_events import ReplicaProgress
from klamm.controller.core.model import TopicPartition
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.describe_log_dirs_request import (
    DescribableLogDirTopic,
    DescribeLogDirsRequest,
)
from klamm.protocol.generated.describe_log_dirs_response import DescribeLogDirsResponse
from klamm.protocol.generated.list_offsets_request import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from klamm.protocol.generated.list_offsets_response import ListOffsetsResponse

#: Version 0 of ListOffsets has another form, which no broker needs any more.
LIST_OFFSETS_VERSIONS = range(1, ListOffsetsRequest.versions.stop)
DESCRIBE_LOG_DIRS_VERSIONS = DescribeLogDirsRequest.versions

#: Kafka's ids for "the first offset" and "the next one to be written" (ListOffsetsRequest).
EARLIEST, LATEST = -2, -1

_DEBUGGING_REPLICA = -2


class LeaderLog(NamedTuple):
    """The first offset of a leader's log, and its end."""

    start: int
    end: int


def list_offsets(names: Iterable[TopicPartition], which: int) -> ListOffsetsRequest:
    """Ask for the EARLIEST or LATEST offset of each log; each partition may be named once."""
    topics = tuple(
        ListOffsetsTopic(
            topic, tuple(ListOffsetsPartition(number, timestamp=which) for number in numbers)
        )
        for topic, numbers in _by_topic(names).items()
    )
    return ListOffsetsRequest(replica_id=_DEBUGGING_REPLICA, topics=topics)


def offsets(response: ListOffsetsResponse) -> dict[TopicPartition, int]:
    """Return what was asked for, of the partitions for which there is an answer."""
    return {
        TopicPartition(topic.name, found.partition_index): found.offset
        for topic in response.topics
        for found in topic.partitions
        if found.error_code == ErrorCode.NONE and found.offset >= 0
    }


def describe_log_dirs(names: Iterable[TopicPartition]) -> DescribeLogDirsRequest:
    """Ask what replicas lack."""
    topics = _by_topic(names).items()
    return DescribeLogDirsRequest(
        topics=tuple(DescribableLogDirTopic(topic, tuple(numbers)) for topic, numbers in topics)
    )


def is_refused(response: DescribeLogDirsResponse | ListOffsetsResponse) -> bool:
    """Tell whether a broker says that it may not be asked this.

    It wants DESCRIBE on the cluster for its directories, and for offsets on each topic.
    """
    if isinstance(response, DescribeLogDirsResponse):
        return response.error_code == ErrorCode.CLUSTER_AUTHORIZATION_FAILED
    return any(
        found.error_code == ErrorCode.TOPIC_AUTHORIZATION_FAILED
        for topic in response.topics
        for found in topic.partitions
    )


def lags(response: DescribeLogDirsResponse) -> dict[TopicPartition, int]:
    """Return what each replica lacks that the broker has; copies for another directory are none."""
    return {
        TopicPartition(topic.name, replica.partition_index): replica.offset_lag
        for directory in response.results
        if directory.error_code == ErrorCode.NONE
        for topic in directory.topics
        for replica in topic.partitions
        if not replica.is_future_key and replica.offset_lag >= 0
    }


def reports(
    follower: int,
    leaders: Mapping[TopicPartition, LeaderLog],
    ends: Mapping[TopicPartition, int],
    lacking: Mapping[TopicPartition, int],
) -> tuple[ReplicaProgress, ...]:
    """Compare a follower's logs with the leaders', where both have answered."""
    found = []
    for name in ends.keys() & lacking.keys() & leaders.keys():
        leader = leaders[name]
        lag = max(0, lacking[name], leader.end - ends[name])
        end = max(leader.start, leader.end - lag)
        found.append(ReplicaProgress(name, follower, end, leader.start, leader.end))
    return tuple(sorted(found, key=lambda report: report.partition))


def _by_topic(names: Iterable[TopicPartition]) -> dict[str, list[int]]:
    topics: dict[str, list[int]] = {}
    for name in names:
        topics.setdefault(name.topic, []).append(name.partition)
    return topics
