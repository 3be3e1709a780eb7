"""The `klamm` command, one module per subcommand."""
