"""Checked design documents: Markdown whose fenced blocks are claims that the tool verifies."""
