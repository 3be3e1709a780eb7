"""What rows of history say: moves and their phases, broken rules, waves, curves. Pure functions."""
