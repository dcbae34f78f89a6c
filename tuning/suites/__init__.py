"""Test positions: EPD files, and solving them."""
