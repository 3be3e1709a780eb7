"""Pure decisions: cluster model, events, plans, reassignment, election."""
