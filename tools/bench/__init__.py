"""Benchmarks against peers; each prints a ratio measured in one run."""
