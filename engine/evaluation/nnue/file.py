"""Reading and writing network files.

A file is ``NUMBATNN``, the length of the header as uint32, the header as JSON in UTF-8, and the arrays of :class:`Net`
in order, all little-endian. The header gives architecture, quantization, checksum of the arrays and ``training``."""

import json
import struct
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from engine.evaluation.nnue.shape import HIDDEN_STEP, INPUTS, MAX_HIDDEN, OUTPUT_BUCKETS, QA, QB, QS, SCALE
from engine.files import open_draft, open_regular, size_of
from engine.messages import OptionError

MAGIC = b"NUMBATNN"

_MAX_HEADER_BYTES = 1 << 20
_MAX_FILE_BYTES = 1 << 25  # bytes; far more than the widest network needs
MAX_PIECES = 32  # maximum number of pieces on a board

_INT16, _INT32 = (1 << 15) - 1, (1 << 31) - 1

#: The header fields other than ``hidden``, and the only values they may have.
_EXPECTED = {
    "architecture": "(768->N)x2->1",
    "activation": "screlu",
    "mirrored": True,
    "output_buckets": OUTPUT_BUCKETS,
    "qa": QA,
    "qb": QB,
    "qs": QS,
    "scale": SCALE,
}


class NetError(OptionError):
    """A file that is not a network for this engine; the message names the file and the fault."""


@dataclass(frozen=True, slots=True)
class Net:
    """A quantized network of N hidden neurons."""

    weights: np.ndarray  # int16[768, N] in units of 1/QA
    biases: np.ndarray  # int16[N] in units of 1/QA
    skip: np.ndarray  # int32[768] in units of 1/QS centipawns
    output_weights: np.ndarray  # int16[8, 2, N], own perspective first, in units of 1/QB
    output_biases: np.ndarray  # int32[8] in units of 1/(QA * QB)
    training: dict[str, Any] = field(default_factory=dict)  # the recipe

    @property
    def hidden(self) -> int:
        return len(self.biases)


def _layout(hidden: int) -> list[tuple[str, str, tuple[int, ...]]]:
    """Name, dtype and shape of each array, in the file's order."""
    return [
        ("weights", "<i2", (INPUTS, hidden)),
        ("biases", "<i2", (hidden,)),
        ("skip", "<i4", (INPUTS,)),
        ("output_weights", "<i2", (OUTPUT_BUCKETS, 2, hidden)),
        ("output_biases", "<i4", (OUTPUT_BUCKETS,)),
    ]


def write_net(file: Path, net: Net) -> None:
    """Write ``net`` to ``file``, which at any time holds either the previous network or the new one. Raises ValueError
    if an array has the wrong shape or does not fit its integers, or the recipe is too long, and OSError."""
    payload = b""
    for name, dtype, shape in _layout(net.hidden):
        array = np.asarray(getattr(net, name))
        limits = np.iinfo(dtype)
        if array.shape != shape:
            raise ValueError(f"{name} has the shape {array.shape}, not {shape}")
        if array.min() < limits.min or array.max() > limits.max:
            raise ValueError(f"{name} does not fit {np.dtype(dtype).name}")
        payload += array.astype(dtype).tobytes()
    header = {**_EXPECTED, "hidden": net.hidden, "crc32": zlib.crc32(payload), "training": net.training}
    text = json.dumps(header, indent=1).encode()
    if len(text) > _MAX_HEADER_BYTES:
        raise ValueError(f"the header has {len(text):,} bytes, more than {_MAX_HEADER_BYTES:,}")
    with open_draft(file) as stream:
        stream.write(MAGIC + struct.pack("<I", len(text)) + text + payload)


def read_net(file: Path) -> Net:
    """The network in ``file``. Raises :class:`NetError` for any fault in it."""
    try:
        with open_regular(file) as stream:
            if size_of(stream) > _MAX_FILE_BYTES:
                raise NetError(f"'{file}' is not a Numbat network")
            content = stream.read()
    except OSError as error:
        raise NetError(f"cannot read the network '{file}': {error.strerror}") from None
    start = len(MAGIC) + 4
    if content[: len(MAGIC)] != MAGIC or len(content) < start:
        raise NetError(f"'{file}' is not a Numbat network")
    (length,) = struct.unpack_from("<I", content, len(MAGIC))
    try:
        header = json.loads(content[start : start + min(length, _MAX_HEADER_BYTES)])
        hidden = header["hidden"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise NetError(f"the header of the network '{file}' cannot be read") from None
    for name, expected in _EXPECTED.items():
        if header.get(name) != expected:
            raise NetError(f"the network '{file}' has {name} {header.get(name)!r}, not {expected!r}")
    if not isinstance(hidden, int) or not 0 < hidden <= MAX_HIDDEN or hidden % HIDDEN_STEP:
        raise NetError(
            f"the network '{file}' has {hidden!r} hidden neurons, not a multiple of {HIDDEN_STEP} up to {MAX_HIDDEN}"
        )
    payload = content[start + length :]
    arrays, offset = {}, 0
    size = sum(np.dtype(dtype).itemsize * int(np.prod(shape)) for _, dtype, shape in _layout(hidden))
    if len(payload) != size:
        raise NetError(f"the network '{file}' holds {len(payload)} bytes of weights, not {size}: is it damaged?")
    if zlib.crc32(payload) != header.get("crc32"):
        raise NetError(f"the weights of the network '{file}' do not match its checksum")
    for name, dtype, shape in _layout(hidden):
        count = int(np.prod(shape))
        arrays[name] = np.frombuffer(payload, dtype, count, offset).reshape(shape)
        offset += count * np.dtype(dtype).itemsize
    net = Net(**arrays, training=header.get("training", {}))
    if fault := overflow(net):
        raise NetError(f"the network '{file}' could overflow: {fault}")
    return net


def overflow(net: Net) -> str | None:
    """The integer of the inference that could overflow in some position, as a message, or None. Networks from our own
    training stay far below these bounds; others may have been rescaled."""
    magnitudes = np.abs(net.weights.astype(np.int64))
    largest = np.partition(magnitudes, INPUTS - MAX_PIECES, axis=0)[INPUTS - MAX_PIECES :]
    sums = np.abs(net.biases.astype(np.int64)) + largest.sum(axis=0)
    if sums.max() > _INT16:
        return f"the sum of column {int(sums.argmax())} can reach {int(sums.max()):,}, more than int16 holds"
    weight = int(np.abs(net.output_weights.astype(np.int64)).max())
    if weight * QA > _INT16:
        return f"an output weight of {weight} times an activation of {QA} is more than int16 holds"
    output = net.output_weights.astype(np.int64)
    total = QA * QA * max(int(output.clip(0).sum(axis=2).max()), int((-output).clip(0).sum(axis=2).max()))
    if total > _INT32:
        return f"an output can reach {total:,}, more than int32 holds"
    skip = int(np.sort(np.abs(net.skip.astype(np.int64)))[-MAX_PIECES:].sum())
    if skip > _INT32:
        return f"the skip connection can reach {skip:,}, more than int32 holds"
    return None
