"""What the help says at length: plans in portions, with KIP-1335's example; rights for KIP-179."""

from typing import Final

PORTIONS: Final = """\
Plans in portions (--execute; KIP-1335). A portion counts rows of the file, whatever the number of
replicas that a row moves, and the order is by topic, then partition, never that of the file.
  --reassignment-batch-size 0   All at once, in one request, and no waiting. The default.
  --reassignment-batch-size N   In steps: N partitions in one request, and the next N as soon as all
                                of these are complete. One slow partition holds up the next step.
  ... --incremental             N in flight: as soon as one is complete, the next one is submitted.
A partition is complete when it does not move any more, has the replicas of the plan in their
order, and all of them are in sync. One that does not move and has other replicas ends the run, if
it still looks so after 5 seconds: brokers may lag behind the controller.
The last group is not awaited, in either mode: the tool returns when all is submitted. --wait waits
for the end; otherwise run --verify until every partition is completed, which also removes the
throttles. Without --deadline-ms a run waits for as long as it takes.
--additional only lifts the check for moves that run already, once, before the first submit. Each
run paces its own plan: two of them may have 2N partitions in flight.
A run that was stopped, by Ctrl-C or worse, has left its moves running. --execute --resume with the
same file goes on where it was: it asks the cluster what is complete or on its way.

Example: P1 to P10, N = 3, a look every 1000 ms. Moves last 1500 ms, but P2 500 and P3 9500.
             submits (ms: partitions)                                                returns
  N = 0      0: P1-P10                                                                     0
  steps      0: P1,P2,P3  10000: P4,P5,P6  12000: P7,P8,P9  14000: P10                 14000
  --incremental
             0: P1,P2,P3  1000: P4  2000: P5  3000: P6  4000: P7  5000: P8  6000: P9
             7000: P10                                                                  7000
Exit codes: 0 done, 1 failed or wrong usage, 3 the deadline has passed and moves go on: nothing is
ever cancelled by a deadline. --progress also: 2 wrong usage, 4 the deadline has passed and all that
is left is stuck."""

KIP_179: Final = """\
Rights (KIP-179). Who starts moves in this dialect needs ClusterAction on the cluster. For two
principals who come from two hosts:
  kafka-acls --bootstrap-server localhost:9092 --command-config admin.properties --add \\
    --allow-principal User:Alice --allow-principal User:Bob \\
    --allow-host 198.51.100.0 --allow-host 198.51.100.1 \\
    --operation ClusterAction --cluster
The tool also looks at topics and at what moves, as --progress does: that takes Describe on the
topics and on the cluster.
One reassignment goes on at a time: while anything moves, the server refuses to start more, whatever
--additional and --incremental say. It has to offer the requests of the dialect, which it does not
by default: klamm.kip179.alter.enable=true for kip-179-alter, klamm.kip179.assign.enable=true for
kip-179-assign, a property of each klamm node that counts from its next start.
--zookeeper still works, and warns. It goes in a later release, which has no number yet;
--bootstrap-server replaces it."""
