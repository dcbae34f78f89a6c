"""The search, from one node up to all threads.

``state``         the records that a search works on
``params``        the numbers that a tuner may turn; ``tunables`` are they as the kernels see them
``scores``        centipawns, mates and table wins
``transposition`` the transposition table
``tablebase``     endgame tablebases at inner nodes
``node``          what every node does first
``line``          doing and undoing moves
``history``       how well moves did elsewhere in the tree; ``correction`` of the static evaluation
``checks``        which moves give check
``movepick``      the moves, best first
``quiescence``    the quiescence search
``pruning``       nodes and moves that are given up; ``extensions`` and ``reductions`` of their depth
``alphabeta``     the main search
``deepening``     iterative deepening in aspiration windows
``mates``         proofs of mates
``worker``        one thread's search
``timeman``       how long a move may take
``threads``       threads that wait for work
``lazy_smp``      what the threads of one search share, and how they vote on the move
``pool``          all threads of one search
"""
