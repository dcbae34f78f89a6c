"""A fake fastchess that plays no chess: it prints the games it was told to, as fastchess does.

    fake_fastchess.py RESULTS WORDS...

RESULTS: results of the games in turn, from White's view (``1``, ``0`` and ``=``, again from the start after the last),
or words that it acts on there: ``hang``, ``fail`` and ``warn``. The game that follows ``lose`` is lost on time.
"""

import sys
import time

results = sys.argv[1].split(",")
words = sys.argv[2:]
names = [word.removeprefix("name=") for word in words if word.startswith("name=")]
games = 2 * int(words[words.index("-rounds") + 1])
number, place = 0, 0
reason = "mates"
while number < games:
    word = results[place % len(results)]
    place += 1
    white, black = names if number % 2 == 0 else reversed(names)
    if word == "hang":
        time.sleep(3600)
    elif word == "fail":
        print(f'Fatal; {black} engine startup failure: "Couldn\'t write uci to engine"')
        sys.exit(1)
    elif word == "warn":
        print(
            f"Warning; Illegal PV move - move e1e8 from {black} :: Info; info depth 1 :: Position; startpos :: Moves; "
        )
    elif word == "lose":
        reason = "loses on time (12ms overrun)"
    else:
        number += 1
        print(f"Started game {number} of {games} ({white} vs {black})")
        side = "White" if (word == "1") == (reason == "mates") else "Black"
        shown = {"1": "1-0", "0": "0-1", "=": "1/2-1/2"}[word]
        text = "Draw by adjudication" if word == "=" else f"{side} {reason}"
        print(f"Finished game {number} ({white} vs {black}): {shown} {{{text}}}", flush=True)
        reason = "mates"
print("Tournament finished\nFinished match")
