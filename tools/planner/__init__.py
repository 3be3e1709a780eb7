"""Plans: as few moves as racks, capacities and leaders allow. Pure, but for the solver."""
