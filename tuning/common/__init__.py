"""Code shared by all tools of the workbench."""
