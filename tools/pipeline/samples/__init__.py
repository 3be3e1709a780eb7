"""A seeded generator of snapshots, loads and histories with labelled faults.

cluster   clusters as they might be, and how they grow by the day
replicas  a partition as journals tell of it, and what befalls it
telling   lines of journals, and the parts that they have in common
history   the journals of a cluster's controllers: true ones, if nothing is planted
faults    what can be planted into journals, and which rule each of them breaks
files     journal files that are rotated, and where each line came to stand
texts     what Kafka's tools and exporters would say of a cluster
writing   all of that, into one folder
"""
