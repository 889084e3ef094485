"""Compilation by Numba, kept on disk; without Numba the same functions run as plain Python."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

numba: Any
try:
    import numba
    import numba.np.arrayobj
except ImportError:
    numba = None

Function = TypeVar("Function", bound=Callable[..., Any])

AVAILABLE = numba is not None
"""Whether functions are compiled at all."""


def _fingerprint() -> str:
    """Of all that is compiled together: Numba looks at one file only, and would keep what is out of date."""
    digest = hashlib.blake2b(digest_size=8)
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()


def _folder() -> Path | None:
    """Where compiled code is kept, or None where nothing can be."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = home / "stacksim" / _fingerprint()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


FOLDER = _folder()
"""Where compiled code is kept from one process to the next."""


def compiled(function: Function) -> Function:
    """Compile ``function`` when compiled code first calls it.

    Integers wrap and nothing is checked: the loop is tested. Python cannot call it: what would let it takes as
    long to compile as the rest.
    """
    return _called_by_compiled_code(function)


def inlined(function: Function) -> Function:
    """The same for what stands in the hot loop: it goes into its callers, whatever its size."""
    return _called_by_compiled_code(function, forceinline=True)


def apart(function: Function) -> Function:
    """The same for what the hot loop calls but must not contain: else Numba inlines all that ``inlined`` calls."""
    return _called_by_compiled_code(function, forceinline=False)


def _called_by_compiled_code(function: Function, **options: bool) -> Function:
    if numba is None:
        return function
    made: Any = numba.njit(nogil=True, cache=False, no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)(
        function
    )
    choose = made.get_call_template

    def without_constants(types: Any, names: Any) -> Any:
        """Else Numba compiles a function anew for each constant that it is called with."""
        return choose(tuple(map(numba.types.unliteral, types)), names)

    made.get_call_template = without_constants
    found: Function = made
    return found


if numba is None:

    def pointer(array: Any) -> Any:
        """The array itself: in plain Python there is nothing to gain."""
        return array

    def bit_length(number: int) -> int:
        """How many bits ``number`` has."""
        return number.bit_length()

    def prefetch(array: Any, index: int) -> None:
        """Nothing: in plain Python there is nothing to gain."""

else:

    @numba.extending.intrinsic  # type: ignore[untyped-decorator]
    def pointer(_context: Any, array: Any) -> Any:
        """A bare pointer to the first element: calls pass one word, and nothing is counted or wrapped."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return numba.np.arrayobj.make_array(signature.args[0])(context, builder, arguments[0]).data

        return numba.types.CPointer(array.dtype)(array), generate

    @numba.extending.intrinsic  # type: ignore[untyped-decorator]
    def bit_length(_context: Any, _number: Any) -> Any:
        """How many bits ``number`` has: one instruction, which Numba has no name for."""

        def generate(_context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            bits = signature.return_type.bitwidth
            zeros = builder.ctlz(arguments[0], numba.core.cgutils.false_bit)
            return builder.sub(zeros.type(bits), zeros)

        return numba.types.int64(numba.types.int64), generate

    @numba.extending.intrinsic  # type: ignore[untyped-decorator]
    def prefetch(_context: Any, array: Any, index: Any) -> Any:
        """Let the cache line of an element come near."""

        def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            ir = numba.core.cgutils.ir
            byte, flag = ir.IntType(8).as_pointer(), ir.IntType(32)
            kind = ir.FunctionType(ir.VoidType(), [byte, flag, flag, flag])
            function = numba.core.cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
            address = builder.bitcast(builder.gep(arguments[0], [arguments[1]]), byte)
            builder.call(function, [address, flag(0), flag(3), flag(1)])
            return context.get_dummy_value()

        return numba.types.none(array, index), generate


def kept(function: Function) -> Function:
    """The same for the one function that Python calls: it is kept on disk with all that it contains."""
    if numba is None:
        return function
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(FOLDER or before)
    try:
        made: Function = numba.njit(nogil=True, no_cfunc_wrapper=True, cache=FOLDER is not None)(function)
    finally:
        numba.config.CACHE_DIR = before
    return made


def is_kept() -> bool:
    """Whether compiled code is there already, so that the first run starts at once."""
    return FOLDER is not None and any(FOLDER.rglob("*.nbc"))
