"""From Python source to scalar expressions, native code and SMT terms."""

from explorer.compiler.lower import Lowered, lower

__all__ = ["Lowered", "lower"]
