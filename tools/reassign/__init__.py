"""kafka-reassign-partitions for any Kafka cluster: the same options, files, requests and texts.

The tool with its options is `klamm reassign-partitions`; `execute_assignment` is for programs.
"""

from klamm.tools.reassign.calls import execute_assignment as execute_assignment
