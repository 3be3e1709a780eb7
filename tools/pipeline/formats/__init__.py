"""What users have, as rows of the canonical tables: one module per format or family of formats.

base            Source, Format, and what a reader gives: Good, Bad, Passed
registry        all formats; which one a file is of; reading it
journal         klamm's own journal; history_file what the lab's world has seen
controller_log, state_change_log    Kafka's logs; *_lines what their sentences mean
metadata_log    the metadata log of KRaft, as kafka-dump-log shows it
describe, reassign_json, reassign_texts, log_dirs    output of Kafka's tools
snapshot        a cluster at one time, as klamm itself takes it
status_answers  progress as `klamm reassign` prints it
zookeeper       dumps of znodes
prometheus, cruise_control, topicmappr    metrics and loads
log4j, log_lines, kafka_terms, documents, replica_rows    what these share
"""

from klamm.tools.pipeline.formats.base import Bad, Format, Good, Passed, Produced, Source
from klamm.tools.pipeline.formats.registry import (
    FORMATS,
    AmbiguousError,
    candidates,
    read,
    recognise,
)

__all__ = [
    "FORMATS",
    "AmbiguousError",
    "Bad",
    "Format",
    "Good",
    "Passed",
    "Produced",
    "Source",
    "candidates",
    "read",
    "recognise",
]
