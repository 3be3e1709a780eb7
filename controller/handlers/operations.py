"""Authorized operations as Metadata and DescribeCluster report them: bits by operation code."""

#: The answer to a client that did not ask.
NOT_ASKED = -(2**31)

# AclOperation codes: READ 3, WRITE 4, CREATE 5, DELETE 6, ALTER 7, DESCRIBE 8, CLUSTER_ACTION 9,
# DESCRIBE_CONFIGS 10, ALTER_CONFIGS 11, IDEMPOTENT_WRITE 12. Without an authorizer Kafka grants
# all that apply to the resource (Kafka 3.9, AclEntry.supportedOperations).
ALL_ON_TOPIC = sum(1 << code for code in (3, 4, 5, 6, 7, 8, 10, 11))
ALL_ON_CLUSTER = sum(1 << code for code in (5, 7, 8, 9, 10, 11, 12))
