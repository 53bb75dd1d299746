"""The checked design documents: Markdown for people, with blocks that ``slotcheck`` verifies."""
