"""A real ZooKeeper, started and stopped from Python, and the Java it needs."""
