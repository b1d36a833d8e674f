"""Names of slices for narrow places."""

import re
import zlib
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt
from rich.cells import cell_len

SHADES: Final = 2
"""Steps of one hue by which neighbours with different names are told apart."""

UInt32 = npt.NDArray[np.uint32]

_PREFIX: Final = re.compile(r"^(?:autograd::engine::evaluate_function: |.*?\.pyx?\(\d+\): )")
_COLLECTIVE: Final = re.compile(r"^(nccl|rccl)(?:Dev)?Kernel_")
_UNSAID: Final = re.compile(r"^void |\(anonymous namespace\)::| \[clone \.kd\]$")
_GENERIC: Final = frozenset({"Kernel", "Kernel2", "kernel", "device_kernel"})
_WORK: Final = re.compile(
    r"\bCUDAFunctor(?:OnSelf)?_(\w+)"
    r"|\b(?!AUnary|BUnary|Binary|gpu_)(\w+?)"
    r"(?:_kernel_cuda|_cuda_kernel|_kernel_impl|_functor|Functor|Ops)\b"
)
_OF_ANY_WORK: Final = ("elementwise_kernel", "reduce_kernel", "multi_tensor_apply_kernel")


@lru_cache(1 << 16)
def short_name(name: str) -> str:
    """What tells a slice from others, most telling part first.

    C++ names lose return type, namespaces and arguments, but keep the work that a kernel for any
    work does: `add vectorized_elementwise_kernel`. Python frames lose their file.
    """
    name = _COLLECTIVE.sub(r"\1 ", _PREFIX.sub("", name))
    name = _UNSAID.sub("", name)
    if "<" not in name and not name.endswith(")"):
        return name
    base = _base_name(name)
    if base in _GENERIC and "<" in name:
        base = _base_name(name[name.index("<") + 1 :])
    work = _WORK.search(name) if base.endswith(_OF_ANY_WORK) else None
    return f"{work[1] or work[2]} {base}" if work else base


def _base_name(name: str) -> str:
    head = re.split(r"[<(,>]", name, maxsplit=1)[0]
    return head.rstrip().rpartition("::")[2] or name


@lru_cache(1 << 16)
def label_codes(name: str) -> UInt32:
    """Code points of the short name, each one cell wide: others become a question mark."""
    cells = "".join(char if cell_len(char) == 1 else "?" for char in short_name(name))
    return np.frombuffer(cells.encode("utf-32-le"), np.uint32)


def shade_of(name: str) -> int:
    """One of `SHADES`, the same for this name everywhere and in every run."""
    return zlib.crc32(name.encode()) % SHADES
