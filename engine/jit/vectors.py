"""SIMD sums over rows of 16-bit integers, each with a plain Python version.

LLVM vectorises plain loops too, but then handles overlapping rows and odd column counts, and fills only half a register
where sums take 32 bits. That slows the search down."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from engine.jit.private import INTERPRETED, array_address, external_function, stack_slots

LANES = 16  # columns computed at once, of which every number of columns must be a multiple

_I16, _I32, _I64 = (ir.IntType(bits) for bits in (16, 32, 64))
_BLOCK, _WIDE, _SUMS = ir.VectorType(_I16, LANES), ir.VectorType(_I32, LANES), ir.VectorType(_I32, LANES // 2)


@contextmanager
def _blocks(builder: Any, columns: Any) -> Iterator[Any]:
    """Build a loop over blocks of LANES ``columns`` around the ``with`` block; yields the first column of a block."""
    before = builder.block
    body, after = builder.append_basic_block("block"), builder.append_basic_block("after")
    builder.branch(body)
    builder.position_at_end(body)
    column = builder.phi(_I64)
    column.add_incoming(_I64(0), before)
    yield column
    further = builder.add(column, _I64(LANES), flags=("nsw", "nuw"))
    column.add_incoming(further, builder.block)
    builder.cbranch(builder.icmp_signed("<", further, columns), body, after)
    builder.position_at_end(after)


def _place(builder: Any, row: Any, column: Any) -> Any:
    return builder.bitcast(builder.gep(row, [column]), _BLOCK.as_pointer())


def _load(builder: Any, row: Any, column: Any) -> Any:
    return builder.load(_place(builder, row, column), align=2)


def row_sum(signs: str) -> Callable[..., None]:
    """A function ``(target, source, table, rows, columns)`` that sets ``target`` to ``source`` plus or minus rows of
    ``table``. The tuple ``rows`` holds their numbers, ``signs`` their signs. ``target`` may be ``source``."""
    if INTERPRETED:

        def plain(target: Any, source: Any, table: Any, rows: tuple[int, ...], columns: int) -> None:
            total = source[:columns].copy()
            for sign, row in zip(signs, rows, strict=True):
                values = table[int(row * columns) : int((row + 1) * columns)]
                total = total + values if sign == "+" else total - values
            target[:columns] = total

        return plain

    @intrinsic
    def summed(typing_context: Any, target: Any, source: Any, table: Any, rows: Any, columns: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            into, out_of, weights = (
                array_address(context, builder, kind, array)
                for kind, array in zip(signature.args[:3], arguments[:3], strict=True)
            )
            numbers = [builder.extract_value(arguments[3], index) for index in range(len(signs))]
            starts = [builder.gep(weights, [builder.mul(number, arguments[4])]) for number in numbers]
            with _blocks(builder, arguments[4]) as column:
                total = _load(builder, out_of, column)
                for sign, start in zip(signs, starts, strict=True):
                    block = _load(builder, start, column)
                    total = builder.add(total, block) if sign == "+" else builder.sub(total, block)
                builder.store(total, _place(builder, into, column), align=2)
            return context.get_dummy_value()

        return types.void(target, source, table, types.UniTuple(types.int64, len(signs)), types.int64), codegen

    return cast("Callable[..., None]", summed)


weigh_squares: Any

if INTERPRETED:

    def weigh_squares(first: Any, second: Any, weights: Any, start: int, columns: int, most: int) -> int:
        """The weighted sum of the squares of the values in ``first`` and ``second``, clipped to 0 .. ``most``.
        ``weights`` for ``first`` begin at ``start``, then for ``second``. Products must fit in 16 bits, sums in 32."""
        values = np.concatenate((first[:columns], second[:columns])).clip(0, most).astype(np.int64)
        return int((values * values * weights[int(start) : int(start + 2 * columns)]).sum())

else:

    @intrinsic
    def weigh_squares(
        typing_context: Any, first: Any, second: Any, weights: Any, start: Any, columns: Any, most: Any
    ) -> Any:
        """The weighted sum of the squares of the values in ``first`` and ``second``, clipped to 0 .. ``most``. The
        ``weights`` for ``first`` begin at ``start``; those for ``second`` follow. A value times its weight must fit in
        16 bits, the sum in 32: so one instruction multiplies the product by the value again and adds neighbours."""

        def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            rows = [
                array_address(context, builder, kind, array)
                for kind, array in zip(signature.args[:3], arguments[:3], strict=True)
            ]
            columns, highest = arguments[4], _spread(builder, builder.trunc(arguments[5], _I16))
            weight_row = builder.gep(rows[2], [arguments[3]])
            weight_rows = (weight_row, builder.gep(weight_row, [columns]))
            totals = [stack_slots(builder, _SUMS, 1) for _ in weight_rows]  # two, to run in parallel
            for total in totals:
                builder.store(ir.Constant(_SUMS, None), total)
            with _blocks(builder, columns) as column:
                for row, weight_row, total in zip(rows, weight_rows, totals, strict=False):
                    values = _clipped(builder, _load(builder, row, column), highest)
                    products = builder.mul(values, _load(builder, weight_row, column))
                    builder.store(builder.add(builder.load(total), _dot_pairs(builder, products, values)), total)
            sums = builder.add(*(builder.load(total) for total in totals))
            together = external_function(builder, f"llvm.vector.reduce.add.v{LANES // 2}i32", _I32, [_SUMS])
            return builder.sext(builder.call(together, [sums]), _I64)

        return types.int64(first, second, weights, types.int64, types.int64, types.int64), codegen


def _clipped(builder: Any, values: Any, highest: Any) -> Any:
    """``values`` clipped to 0 .. ``highest``."""
    smaller = external_function(builder, f"llvm.smin.v{LANES}i16", _BLOCK, [_BLOCK, _BLOCK])
    larger = external_function(builder, f"llvm.smax.v{LANES}i16", _BLOCK, [_BLOCK, _BLOCK])
    return builder.call(smaller, [builder.call(larger, [values, ir.Constant(_BLOCK, None)]), highest])


def _dot_pairs(builder: Any, left: Any, right: Any) -> Any:
    """The products of the lanes of ``left`` and ``right``, neighbours added."""
    products = builder.mul(builder.sext(left, _WIDE), builder.sext(right, _WIDE), flags=("nsw",))
    return builder.add(_every_other(builder, products, 0), _every_other(builder, products, 1))


def _spread(builder: Any, value: Any) -> Any:
    """``value`` in every lane."""
    single = builder.insert_element(ir.Constant(_BLOCK, ir.Undefined), value, _I32(0))
    return builder.shuffle_vector(single, ir.Constant(_BLOCK, ir.Undefined), ir.Constant(_WIDE, None))


def _every_other(builder: Any, wide: Any, first: int) -> Any:
    """Every other lane of ``wide``, starting at ``first``."""
    lanes = ir.Constant(_SUMS, [_I32(lane) for lane in range(first, LANES, 2)])
    return builder.shuffle_vector(wide, ir.Constant(_WIDE, ir.Undefined), lanes)
