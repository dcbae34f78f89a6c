"""What every tool of the workbench shares."""
