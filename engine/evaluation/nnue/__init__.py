"""An efficiently updatable neural network (NNUE).

``shape``    its layers, and the units of its integers
``file``     networks as files
``features`` the features of a perspective
``refresh``  accumulators anew, from one kept for the same orientation
``network``  the compiled inference, with an accumulator for each ply
``plain``    the same in plain numpy, for tests and ``eval``
"""
