"""One module per job of `klamm pipeline`: from tables to tables."""
