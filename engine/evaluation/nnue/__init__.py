"""An efficiently updatable neural network (NNUE).

``shape``    its layers, and what its numbers mean
``file``     networks as files
``features`` what a perspective sees
``refresh``  accumulators anew, from one kept for the same king bucket
``network``  the compiled inference, with an accumulator for each ply
``plain``    the same the slow way, for tests and for people
"""
