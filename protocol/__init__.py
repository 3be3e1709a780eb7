"""The Kafka wire protocol: generated codecs, framing and connections, without any I/O."""
