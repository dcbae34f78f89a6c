"""Static evaluation: three evaluations behind one interface, with their weights as data.

``records``    the records of evaluations
``evaluator``  the interface: a record that follows the moves of a line
``choice``     choosing an evaluation, and showing its terms
``material``   material and piece squares
``classical``  king safety, mobility, pawns and the rest, as linear terms
``nnue``       an efficiently updatable neural network
``batch``      static values of many positions at once
``endgames``   rules: a lone king, and opposite-coloured bishops
"""
