"""Test positions solved by several engines."""
