"""The controller: pure decisions, the loop around them, and the ports to the world."""
