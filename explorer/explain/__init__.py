"""Why a run is a counterexample."""
