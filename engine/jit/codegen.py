"""What decides about the generated code besides the sources: one place, which the cache of compiled code asks too.

A choice that only the code knew of would let a start with other choices load that code, and play by tables of another
order. So every choice is a field of :class:`Choices`, and all of them enter the name of the cache.
"""

from __future__ import annotations

import ctypes
import sys
from dataclasses import dataclass

import llvmlite.binding as llvm
import numpy as np

from engine.jit import private


@dataclass(frozen=True, slots=True)
class Choices:
    """What the kernels of this process are compiled for."""

    #: Slider attacks are looked up by PEXT where it is fast, by magic multiplication elsewhere.
    pext: bool

    #: How many copies of this package the process had loaded before. It is part of their linker symbols, which all
    #: code in the process shares.
    copy: int


def _has_fast_pext() -> bool:
    """Whether PEXT exists and is not microcoded (it is on AMD before Zen 3)."""
    if private.INTERPRETED or private.names_another_processor():
        return False  # code for another processor than this one: LLVM aborts if that has no PEXT
    try:
        features = llvm.get_host_cpu_features()
    except RuntimeError:
        return False
    return bool(features.get("bmi2")) and llvm.get_host_cpu_name() not in ("znver1", "znver2", "bdver4")


_presence = ctypes.create_string_buffer(1)


def _count_copies() -> int:
    """Enter this copy into the list that the linker keeps; how many were there."""
    number = 0
    while llvm.address_of_symbol(f"numbat_copy_{number}"):
        number += 1
    llvm.add_symbol(f"numbat_copy_{number}", ctypes.addressof(_presence))
    return number


CHOICES = Choices(pext=_has_fast_pext(), copy=0 if private.INTERPRETED else _count_copies())


def symbol(name: str) -> str:
    """The linker symbol ``name`` of this copy of the package."""
    return f"{name}_{CHOICES.copy}"


def description() -> str:
    """Everything beside the sources that changes the generated code, as text."""
    return repr((CHOICES, np.__version__, sys.version_info[:2], private.settings()))
