"""The search, from one node up to all threads.

``state``         the records of a search
``parameters``    the tunable parameters
``scores``        centipawns, mates and tablebase wins
``transposition`` the transposition table
``tablebase``     endgame tablebases at interior nodes
``context``       the node and the move under examination
``node``          the start of every node: node count, limits, draws
``do_move``       making and unmaking moves
``history``       histories for move ordering; ``correction`` histories of the static evaluation
``checks``        direct checks
``movepick``      staged move picking
``quiescence``    the quiescence search
``pruning``       pruning of nodes and moves; ``extensions`` and ``reductions``
``alphabeta``     the main search
``deepening``     iterative deepening with aspiration windows
``mates``         mate proofs for ``go mate``
``worker``        one thread's search
``timeman``       time management
``threads``       threads with a deep stack, and tasks for them
``lazy_smp``      what the threads of one search share, and their vote on the move
``pool``          all threads of one search
"""
