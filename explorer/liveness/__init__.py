"""Temporal properties: fair cycles in the product of a state graph and an automaton."""
