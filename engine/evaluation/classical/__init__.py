"""The classical evaluation: a tapered linear sum over features that a chess player would name.

``Eval(s) = sum of w_i * f_i(s)`` as in :mod:`engine.evaluation.material`, but the features now say how the pieces
work together: mobility, pawn structure, the safety of the kings, threats, passed pawns, space. Every weight is
learned from positions whose outcome is known (``python -m tuning.texel``) and stands in ``classical.json``.

A file for each idea: ``features`` names them all, ``weights`` holds their values, ``view`` what the others share
(attack maps), then ``pawns``, ``pieces``, ``king``, ``threats``, ``passed``, ``space`` and ``scaling``; ``value``
adds up, ``explain`` shows how the sum comes about.
"""
