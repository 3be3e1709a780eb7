"""Simulated brokers: a pure model and TCP peers that act it out."""
