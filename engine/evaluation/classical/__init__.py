"""The classical evaluation: a tapered linear sum over features that a chess player would name.

``Eval(s) = sum of w_i * f_i(s)`` as in :mod:`engine.evaluation.material`, but with features for how the pieces work
together: mobility, pawn structure, king safety, threats, passed pawns, space. Every weight is learned from positions of
known outcome (``python -m tuning.texel``) and stored in ``classical.json``.

One file for each idea: ``features`` names them all, ``weights`` holds their values, ``view`` what the others share
(attack maps), then ``pawns``, ``pieces``, ``king``, ``threats``, ``passed``, ``space`` and ``scaling``; ``value`` adds
up, ``explain`` shows the terms."""
