"""An efficiently updatable neural network (NNUE).

``shape``    its layers, and what its numbers mean
``file``     networks as files
``network``  the compiled inference, with an accumulator for each ply
``plain``    the same the slow way, for tests and for people
"""
