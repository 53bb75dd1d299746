"""Traces: as data, replayed through CPython, rendered and explained."""
