"""Chaos on the real thing: node processes, a real ZooKeeper, faults by plan, a judged history."""
