"""Earlier and broken designs: each module overrides one mechanism of the current protocol."""
