"""Machine code: emitted once, stored on disk, and loaded by LLVM alone, without the compiler that made it."""

from __future__ import annotations

import hashlib
import os
import stat
from importlib.metadata import version
from pathlib import Path
from typing import Any

from llvmlite import binding as llvm  # type: ignore[import-untyped]

from sim.errors import InputError
from sim.files import write_atomically

SYMBOL = "stacksim_run"
"""The name of the one function; Numba gives it a longer one."""

_DIGEST_BYTES = 16

_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def _fingerprint() -> str:
    """A hash of all that the code depends on: the sources compiled together, the compiler and the processor."""
    digest = hashlib.blake2b(digest_size=8)
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    made_by = (version("numba"), version("llvmlite"), llvm.get_host_cpu_name(), _features())
    digest.update(" ".join(made_by).encode())
    return digest.hexdigest()


def _features() -> str:
    features: str = llvm.get_host_cpu_features().flatten()
    return features


def place() -> Path:
    """The file in which the code is stored for later processes."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return home / "stacksim" / f"{_fingerprint()}.o"


def stored(file: Path) -> bytes | None:
    """The code in ``file``; None if it is missing, cut short, or not to be trusted.

    Whoever can write to it decides what this process does, so the file and its folder must be the user's alone.
    """
    try:
        if not (_is_private(file.parent.stat()) and _is_private(file.stat())):
            return None
        content = file.read_bytes()
    except OSError:
        return None
    digest, code = content[:_DIGEST_BYTES], content[_DIGEST_BYTES:]
    return code if digest == _digest(code) else None


def _is_private(status: os.stat_result) -> bool:
    """Whether it belongs to the user, and nobody else can write to it. Windows has no such bits."""
    return os.name == "nt" or (status.st_uid == os.geteuid() and not status.st_mode & _WRITABLE_BY_OTHERS)


def store(file: Path, code: bytes) -> None:
    """Write ``code`` for later processes; where it cannot be written, or not safely, each compiles its own."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.parent.chmod(0o700)  # refused where it is another's
        write_atomically(file, _digest(code) + code)
        file.chmod(0o600)
    except (OSError, InputError):
        return


def _digest(code: bytes) -> bytes:
    return hashlib.blake2b(code, digest_size=_DIGEST_BYTES).digest()


def emitted(assembly: str, function: str) -> bytes:
    """The object code of ``function``, and of all that it calls, from LLVM's assembly language."""
    module = llvm.parse_assembly(assembly)
    module.get_function(function).name = SYMBOL
    code: bytes = _target().emit_object(module)
    return code


def loaded(code: bytes) -> Any:
    """The engine that holds the code, which has to live as long as the code is called."""
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine


def address(engine: Any) -> int:
    """The address of the function."""
    pointer: int = engine.get_function_address(SYMBOL)
    return pointer


def _target() -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(cpu=llvm.get_host_cpu_name(), features=_features(), opt=3, jit=True)
