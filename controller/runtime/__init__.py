"""The drivers on trio: server, broker links, and the node's effects carried out."""
