"""Where work units run: in this process, in local processes, on a dask scheduler."""
