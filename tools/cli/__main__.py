"""`python -m klamm.tools.cli` is the `klamm` command."""

from klamm.tools.cli.main import main

main(prog_name="klamm")
