"""Engines that reason about all runs at once, with z3."""
