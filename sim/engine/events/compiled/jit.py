"""Interface to Numba: decorators, intrinsics, and the one function that Python calls as machine code.

Numba is imported only in the process that compiles (``compilation``): the import alone takes half a second.
Elsewhere the decorators do nothing; without Numba and machine code, all runs as plain Python.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from functools import cached_property
from importlib.metadata import version
from importlib.util import find_spec
from threading import Lock
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from sim.engine.errors import InputError, shown
from sim.engine.events.compiled import compilation

Function = TypeVar("Function", bound=Callable[..., Any])

try:
    AVAILABLE = find_spec("numba") is not None
except ValueError:  # a module that was hidden has no specification
    AVAILABLE = False
"""True if functions are compiled at all."""

OLDEST, TOO_NEW = (0, 61), (0, 69)
"""Range of Numba's versions, from the first to below the second, with which its calling convention, used by
``Called``, was tested; as in ``pyproject.toml``."""


def check_version(text: str) -> None:
    """Refuse a version of Numba whose machine code might be called wrongly, with any consequence.

    Raises:
        InputError: says which versions are allowed, and how to fix it.
    """
    found = tuple(map(int, re.findall(r"[0-9]+", text)[:2]))
    if not OLDEST <= found < TOO_NEW:
        oldest, too_new = (".".join(map(str, each)) for each in (OLDEST, TOO_NEW))
        raise InputError(
            f"Numba is of version {shown(text)}; allowed: from {oldest} to below {too_new}; "
            f"`pip install 'numba>={oldest},<{too_new}'`, or choose engine reference"
        )


numba: Any = None
if AVAILABLE:
    check_version(version("numba"))
    from sim.engine.events.compiled import object_code, prepared

    PLACE = object_code.place()
    if compilation.HERE:
        import numba


def compiled(function: Function) -> Function:
    """Compile ``function`` when compiled code first calls it.

    Integers wrap, and the compiled code has no checks; tests cover the loop. Python cannot call the result, as a
    wrapper for Python would double the time to compile.
    """
    return _called_by_compiled_code(function)


def inlined(function: Function) -> Function:
    """Compile ``function`` for the hot loop: it is inlined into its callers, whatever its size."""
    return _called_by_compiled_code(function, forceinline=True)


def noinline(function: Function) -> Function:
    """Compile ``function`` outside the hot loop: else Numba inlines all that ``inlined`` functions call."""
    return _called_by_compiled_code(function, forceinline=False)


def _called_by_compiled_code(function: Function, **options: bool) -> Function:
    if numba is None:
        return function
    dispatcher: Any = numba.njit(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)(
        function
    )
    choose = dispatcher.get_call_template

    def without_constants(types: Any, names: Any) -> Any:
        """Call template without constants, for each of which Numba would compile the function again."""
        return choose(tuple(map(numba.types.unliteral, types)), names)

    dispatcher.get_call_template = without_constants
    decorated: Function = dispatcher
    return decorated


if numba is None:

    def bit_length(number: int) -> int:
        """The number of bits of ``number``."""
        return number.bit_length()

    def prefetch(array: Any, index: int) -> None:
        """Do nothing: plain Python gains nothing from it."""

else:

    @numba.extending.intrinsic  # type: ignore[untyped-decorator]
    def bit_length(_context: Any, _number: Any) -> Any:
        """The number of bits of ``number``: one instruction, for which Numba has no function."""

        def generate(_context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            bits = signature.return_type.bitwidth
            zeros = builder.ctlz(arguments[0], numba.core.cgutils.false_bit)
            return builder.sub(zeros.type(bits), zeros)

        return numba.types.int64(numba.types.int64), generate

    @numba.extending.intrinsic  # type: ignore[untyped-decorator]
    def prefetch(_context: Any, array: Any, index: Any) -> Any:
        """Fetch the cache line of an element into the cache."""

        def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            ir = numba.core.cgutils.ir
            byte, flag = ir.IntType(8).as_pointer(), ir.IntType(32)
            kind = ir.FunctionType(ir.VoidType(), [byte, flag, flag, flag])
            function = numba.core.cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
            address = builder.bitcast(builder.gep(arguments[0], [arguments[1]]), byte)
            builder.call(function, [address, flag(0), flag(3), flag(1)])
            return context.get_dummy_value()

        return numba.types.none(array, index), generate


def called(function: Callable[..., int], *kinds: type[np.generic]) -> Callable[..., int]:
    """``function`` of arrays of ``kinds`` as machine code callable from Python, loaded at the first call.

    It gets bare pointers to different arrays: no references are counted, no index is checked. It runs
    without Python's lock, and returns an integer.
    """
    return Called(function, kinds) if AVAILABLE else function


class Called:
    """A Python function as machine code."""

    def __init__(self, function: Callable[..., int], kinds: tuple[type[np.generic], ...]) -> None:
        self.function, self.kinds = function, kinds
        self._lock = Lock()
        self._engine: Any = None  # has to live as long as its code is called

    def __call__(self, *arrays: NDArray[Any]) -> int:
        answer = ctypes.c_int64()
        pointers = [array.__array_interface__["data"][0] for array in arrays]
        self._code(ctypes.addressof(answer), None, *pointers)
        return answer.value

    def load(self, code: bytes) -> None:
        """Use this machine code."""
        self._engine = object_code.loaded(code)

    @cached_property
    def _code(self) -> Callable[..., int]:
        with self._lock:
            if self._engine is None:
                self.load(prepared.code() or object_code.stored(PLACE) or _compiled())
        # Numba's own calling convention: the function returns a status; its arguments are the addresses of its
        # answer and of an error (none: it raises none), and then its own.
        convention = ctypes.CFUNCTYPE(ctypes.c_int32, *(ctypes.c_void_p,) * (2 + len(self.kinds)))
        return convention(object_code.address(self._engine))

    def intermediate_code(self) -> str:
        """The function with all that it calls, in LLVM's assembly language; only in the process that compiles."""
        types = tuple(numba.types.CPointer(numba.from_dtype(np.dtype(kind))) for kind in self.kinds)
        dispatcher = numba.njit(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)(self.function)
        dispatcher.compile(types)
        made = dispatcher.overloads[types]
        code: str = made.library.get_llvm_str().replace(made.fndesc.mangled_name, object_code.SYMBOL)
        return re.sub(rf"^define .*@{object_code.SYMBOL}\(.*", _of_different_arrays, code, flags=re.MULTILINE)


def _of_different_arrays(head: re.Match[str]) -> str:
    """Head of a function in LLVM's assembly language, with its pointers marked as distinct."""
    return re.sub(r"(ptr|\*) %", r"\1 noalias %", head[0])


def _compiled() -> bytes:
    code = object_code.emitted(compilation.intermediate_code(), *object_code.this_processor())
    object_code.store(PLACE, code)
    return code


def is_stored() -> bool:
    """True if machine code exists already, so that the first run starts at once."""
    return not AVAILABLE or prepared.code() is not None or object_code.stored(PLACE) is not None
