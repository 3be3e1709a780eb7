"""Rehearsals: a plan on a snapshot of a cluster, carried out by the real controller in the lab."""
