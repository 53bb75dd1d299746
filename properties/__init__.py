"""What must hold of the protocol, and what must be reachable for that to mean anything."""
