"""Many searches of one system, in several processes, kept in a file so that a run can be taken up again."""
