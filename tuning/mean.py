"""Average the weights of networks that were trained from the same one.

python -m tuning.mean first.nnue second.nnue --out mean.nnue
python -m tuning.mean old.nnue new.nnue --shares 0.3 0.7 --out mean.nnue

Training with other positions, targets or rates gives networks with other random errors, which cancel in the mean of the
weights, while what all have learned stays (Wortsman et al. 2022, "Model soups"). Networks without a common ancestor
have no meaningful mean.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import fields
from functools import partial
from pathlib import Path

import numpy as np

from engine.console import Console
from engine.evaluation.nnue.file import Net, read_net, write_net
from tuning.common import command
from tuning.common.errors import SetupError
from tuning.common.files import check_output
from tuning.common.flags import number

TOOL = "tuning.mean"


def mean_of(nets: Sequence[Net], shares: Sequence[float]) -> Net:
    """The network whose weights are the means of those of ``nets``, which count by their ``shares``; its recipe has
    theirs. Raises :class:`SetupError` for networks of different widths and for shares without a positive sum."""
    if len({net.hidden for net in nets}) > 1:
        raise SetupError(f"the networks have different numbers of columns: {', '.join(str(n.hidden) for n in nets)}")
    if not sum(shares) > 0:
        raise SetupError("the shares must have a sum above zero")
    arrays = [field.name for field in fields(Net) if field.name != "training"]
    means = {name: np.rint(np.average([getattr(net, name) for net in nets], axis=0, weights=shares)) for name in arrays}
    parts = [{"share": share, **net.training} for share, net in zip(shares, nets, strict=True)]
    return Net(**{name: mean.astype(np.int32) for name, mean in means.items()}, training={"tool": TOOL, "of": parts})


def parser() -> argparse.ArgumentParser:
    """The command line of ``python -m tuning.mean``."""
    made = command.make_parser("mean", __doc__)
    made.add_argument("networks", nargs="+", type=Path, metavar="FILE", help="networks with the same number of columns")
    help_ = "how much each counts (default: all alike)"
    made.add_argument("--shares", nargs="+", type=number(0, 1), metavar="X", help=help_)
    made.add_argument("--out", type=Path, required=True, metavar="FILE", help="the new network")
    return made


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Write the network. Raises :class:`SetupError` and :class:`engine.messages.OptionError` for unusable ones."""
    networks, out = arguments.networks, arguments.out
    shares = arguments.shares or [1 / len(networks)] * len(networks)
    if len(shares) != len(networks):
        raise SetupError(f"--shares gives {len(shares)} numbers for {len(networks)} networks")
    check_output(out, networks)
    write_net(out, mean_of([read_net(file) for file in networks], shares))
    console.print(f"wrote {out}")
    return 0


main = partial(command.execute, parser, run)

if __name__ == "__main__":
    sys.exit(main())
