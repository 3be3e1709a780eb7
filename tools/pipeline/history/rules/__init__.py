"""Rules by which a history is judged: invariants, liveness, and signatures of known bugs."""
