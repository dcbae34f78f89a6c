"""Code generation choices that are part of the cache key.

Anything that changes the generated code, except the sources, must be a field of :class:`Choices` or a setting in
:func:`description`, or stale code is loaded."""

import ctypes
import sys
from dataclasses import dataclass

import llvmlite.binding as llvm
import numpy as np

from engine.jit import private


@dataclass(frozen=True, slots=True)
class Choices:
    """The choices that the kernels of this process are compiled with."""

    pext: bool  # slider attacks are looked up by PEXT where it is fast, by magic multiplication elsewhere

    #: Number of copies of this package that the process had loaded before. It distinguishes their linker symbols, which
    #: are global to the process.
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
    """Register this copy with the linker; returns the number of copies before it."""
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
    """Everything that changes the generated code, except the sources, as text."""
    python = sys.version_info[:2], getattr(sys, "abiflags", "")
    return repr((CHOICES, np.__version__, python, private.settings()))
