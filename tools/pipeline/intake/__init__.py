"""How files become tables, each line once, whoever is killed when.

pieces     files found, digested in blocks, and read line by line from any place
known      what was taken in before, by its content
selection  which bytes are new, and in whose name
take       lines become Parquet files, on executors or here
rewrite    files of a table written anew
compact    small files put together
feeder     growing files, cut into chunks that never change
stream     chunks by Structured Streaming
"""
