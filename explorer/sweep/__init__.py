"""A system in many scopes and designs: where properties begin to fail, and how the state space grows."""
