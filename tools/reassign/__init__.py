"""kafka-reassign-partitions for any Kafka cluster: the same options, files, requests and texts."""
