"""Which mechanisms a property hangs on: the minimal sets whose absence violates it, as in fault-tree analysis."""
