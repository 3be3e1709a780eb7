"""Evidence: one cluster, one plan, several ways to carry it out, and what each of them costs.

The real controller and the pure models of brokers run on the world's clock, so a move that takes
an hour is measured in a second, and the same seed gives the same table. All invariants of the lab
are checked on the way.

    site       the cluster, what producers write, and the plan, drawn from a seed
    policies   the ways to carry it out
    metered    a world whose brokers' traffic, lag and disks are measured as time passes
    incidents  what happens in the middle of it
    port       what a tool sees of the cluster: it submits, looks and sleeps
    runs       one policy, one incident, one measurement
    table      the measurements as lines and as JSON
    reading    what they say, in words

The tool itself is handed in, for the lab stands below it: see `klamm.tools.cli._evidence`.
"""
