"""The reference engine: what a model means, in one small file."""

from explorer.reference.search import Exploration, explore

__all__ = ["Exploration", "explore"]
