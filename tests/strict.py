"""How the tests start Python: warnings are errors, but for one that is none of ours."""

#: python-chess 1.11 names what Python 3.14 deprecates and 3.16 has no more.
STRICT = ("-W", "error", "-W", "ignore:'asyncio.DefaultEventLoopPolicy' is deprecated:DeprecationWarning")
