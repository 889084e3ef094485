"""Machine code: emitted once, stored on disk, and loaded by LLVM alone, without the compiler that made it."""

from __future__ import annotations

import hashlib
import os
import stat
from importlib.metadata import version
from pathlib import Path
from typing import Any

from llvmlite import binding as llvm  # type: ignore[import-untyped]

from sim.engine.errors import InputError
from sim.engine.files import write_atomically

SYMBOL = "stacksim_run"
"""Name of the one function that is called from outside."""

_DIGEST_BYTES = 16

_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def sources() -> bytes:
    """A hash of all files that are compiled together; they call no other code."""
    digest = hashlib.blake2b(digest_size=8)
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    return digest.digest()


def _fingerprint() -> str:
    """A hash of all inputs of the code: the sources, the compiler and the processor."""
    made_by = (version("numba"), version("llvmlite"), *this_processor())
    return hashlib.blake2b(sources() + " ".join(made_by).encode(), digest_size=8).hexdigest()


def this_processor() -> tuple[str, str]:
    """Name and features of this processor, as LLVM calls them."""
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


def place() -> Path:
    """Path of the file in which the code is stored for later processes."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return home / "stacksim" / f"{_fingerprint()}.o"


def stored(file: Path) -> bytes | None:
    """The code in ``file``; None if it is missing, cut short, or not to be trusted.

    Whoever can write to it controls this process, so the file and its folder must be the user's alone.
    """
    try:
        if not (_is_private(file.parent.stat()) and _is_private(file.stat())):
            return None
        content = file.read_bytes()
    except OSError:
        return None
    return unpacked(content)


def packed(code: bytes) -> bytes:
    """Content of a file: the code behind its hash."""
    return hashlib.blake2b(code, digest_size=_DIGEST_BYTES).digest() + code


def unpacked(content: bytes) -> bytes | None:
    """The code in the ``content`` of a file; None if it was cut short."""
    code = content[_DIGEST_BYTES:]
    return code if packed(code) == content else None


def _is_private(status: os.stat_result) -> bool:
    """True if it belongs to the user, and nobody else can write to it. Windows has no such bits."""
    return os.name == "nt" or (status.st_uid == os.geteuid() and not status.st_mode & _WRITABLE_BY_OTHERS)


def store(file: Path, code: bytes) -> None:
    """Write ``code`` for later processes; if it cannot be written, or not safely, each compiles its own."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.parent.chmod(0o700)  # refused where it is another's
        write_atomically(file, packed(code))
        file.chmod(0o600)
    except (OSError, InputError):
        return


def emitted(assembly: str, processor: str, features: str = "") -> bytes:
    """The object code of the one function and of all that it calls, for a processor of this name.

    It is optimised as a whole: as nothing else is called from outside, it becomes half as large. No
    product and sum are contracted, so that numbers are equal on every processor.
    """
    module = llvm.parse_assembly(assembly)
    for function in module.functions:
        if not function.is_declaration and function.name != SYMBOL:
            function.linkage = "internal"
    target = target_machine(processor, features)
    passes = llvm.create_pass_builder(target, llvm.create_pipeline_tuning_options(speed_level=3))
    passes.getModulePassManager().run(module, passes)
    code: bytes = target.emit_object(module)
    return code


def loaded(code: bytes) -> Any:
    """LLVM's engine that holds the code; it must live as long as the code is called."""
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target_machine(*this_processor()))
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine


def address(engine: Any) -> int:
    """The address of the function."""
    pointer: int = engine.get_function_address(SYMBOL)
    return pointer


def target_machine(processor: str, features: str) -> Any:
    """LLVM's description of a processor on this system."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=processor, features=features, opt=3, jit=True
    )
