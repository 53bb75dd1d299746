"""What a temporal formula means: as an automaton, and on one run."""
