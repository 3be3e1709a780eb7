"""The store: what the controller keeps in ZooKeeper, behind one port with two implementations."""
