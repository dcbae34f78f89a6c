"""Average the weights of networks that descend from the same one.

python -m tuning.mean first.nnue second.nnue --out mean.nnue
python -m tuning.mean old.nnue new.nnue --shares 0.3 0.7 --out mean.nnue

Networks trained with different positions, targets or rates make different errors, which partly cancel in the mean; what
all have learned stays (Wortsman et al. 2022, "Model soups"). Networks without a common ancestor have no useful mean.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from engine.console import Console
from engine.evaluation.nnue.file import Net, read_net, write_net
from tuning.common import command
from tuning.common.errors import SetupError
from tuning.common.files import check_output
from tuning.common.flags import number

TOOL = "tuning.mean"


def mean_of(nets: Sequence[Net], shares: Sequence[float], names: Sequence[str]) -> Net:
    """The mean of ``nets``, weighted by ``shares``; its recipe names them and contains theirs, without those of the
    networks they began with. Raises :class:`SetupError` for networks of different widths and for shares whose sum is 0.
    """
    if len({net.hidden for net in nets}) > 1:
        raise SetupError(f"the networks have different numbers of columns: {', '.join(str(n.hidden) for n in nets)}")
    if not sum(shares) > 0:
        raise SetupError("the shares must have a sum above zero")
    means: dict[str, Any] = {}
    for name in (field.name for field in fields(Net) if field.name != "training"):
        mean = np.average([getattr(net, name) for net in nets], axis=0, weights=shares)
        means[name] = np.rint(mean).astype(np.int32)
    parts = [
        {"share": share / sum(shares), "file": name, **_own_recipe(net.training)}
        for share, name, net in zip(shares, names, nets, strict=True)
    ]
    return Net(**means, training={"tool": TOOL, "of": parts})


def _own_recipe(training: Mapping[str, Any]) -> dict[str, Any]:
    """The recipe without that of the network it began with, of which only the file's name is left."""
    begin = training.get("begin")
    return {**training, "begin": {"file": begin["file"]}} if begin else {**training}


def parser() -> argparse.ArgumentParser:
    """The command line of ``python -m tuning.mean``."""
    made = command.make_parser("mean", __doc__)
    made.add_argument("networks", nargs="+", type=Path, metavar="FILE", help="networks with the same number of columns")
    shares = "the weight of each network in the mean (default: equal)"
    made.add_argument("--shares", nargs="+", type=number(0, 1), metavar="X", help=shares)
    made.add_argument("--out", type=Path, required=True, metavar="FILE", help="the new network")
    return made


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Write the network. Raises :class:`SetupError` and :class:`engine.messages.OptionError` for what has no mean."""
    networks, out = arguments.networks, arguments.out
    shares = arguments.shares or [1.0] * len(networks)
    if len(shares) != len(networks):
        raise SetupError(f"--shares gives {len(shares)} numbers for {len(networks)} networks")
    check_output(out, networks)
    names = [f"{file.absolute().parent.name}/{file.name}" for file in networks]  # tuning.train calls all net.nnue
    write_net(out, mean_of([read_net(file) for file in networks], shares, names))
    console.print(f"wrote {out}")
    return 0


main = partial(command.execute, parser, run)

if __name__ == "__main__":
    sys.exit(main())
