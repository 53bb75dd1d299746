"""The subcommands of ``slotcheck``, one file each."""
