"""One module per API key: what it serves, how it answers, what it leaves out."""
