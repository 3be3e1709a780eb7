"""The pipeline: what journals, logs and thousands of simulated failovers say, on Spark.

tables     the canonical tables: what every job reads and writes
lake       where tables are kept: Parquet, by version, cluster and date
changes    changes of its files that come true wholly or not at all
session    the one place where a Spark session is made
steps      work by key or by row, the same for Spark and for a process of its own
pack       what executors need, in one archive
spark_runner  a plan's parts, solved on executors
progress   how far Spark is, on the terminal
formats    what users have, as rows: journals, Kafka's logs, dumps, tool output
intake     how files become tables, each line once
history    what rows of history say: moves, broken rules, waves, curves; pure
jobs       one module per job of `klamm pipeline`
reports    what jobs found, as pages
samples    a seeded generator of snapshots, loads and histories with labelled faults
"""
