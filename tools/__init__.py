"""The command line and everything around the controller."""
