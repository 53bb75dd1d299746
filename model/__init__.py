"""The sharing protocol as a pure state machine: see ``systems`` for what is composed of what."""
