"""The order of a history.

A simulator numbers its steps. A real cluster has no common clock: what a controller writes belongs
to its epoch, and within one epoch there is one controller; so epochs come first, then time.
"""

#: The columns by which the events of a cluster, or of one partition of it, are in order.
ORDER = ("step", "controller_epoch", "at_ms", "node", "seq", "part")
