"""An efficiently updatable neural network (NNUE).

``shape``    layers and quantization
``file``     network files
``features`` the features of a perspective
``refresh``  accumulator refreshes from a cache
``network``  compiled inference, with an accumulator for each ply
``plain``    the same in plain numpy, for tests and ``eval``
"""
