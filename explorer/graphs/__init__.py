"""Systems that are plain labelled graphs, written as JSON."""
