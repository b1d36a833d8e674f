"""Kernel names short enough to read: demangled C++ can be over 1000 characters."""

import re
from functools import lru_cache
from typing import Final

_CPP: Final = re.compile(r"::|<|^(?:\w+ )?\w+\(.*\)$")
_ANONYMOUS: Final = re.compile(r"\(anonymous namespace\)::")
_ARGUMENTS: Final = re.compile(r"\([^()]*\)")
_LAMBDA: Final = re.compile(
    r"::(?:\{lambda[^}]*\}|operator(?: const)?(?=$|[,>\s]|::\{))(?: const)?"
)
_POINTERS: Final = re.compile(r", [Aa]rray<char\*, \d+(?:ul)?>")
_BETWEEN_BRACKETS: Final = re.compile(r"(?<=>) +(?=>)")
_NAMESPACES: Final = re.compile(r"\b(?:\w+::)+(?=\w)")


@lru_cache(1 << 16)
def short_kernel_name(name: str, width: int = 80) -> str:
    """The part of a kernel's name that tells it from others, at most `width` characters.

    C++ names lose return type, namespaces, call arguments, lambdas and arrays of pointers: the most
    frequent kernel of a model becomes `vectorized_elementwise_kernel<4, CUDAFunctor_add<float>>`.
    """
    return cut_in_the_middle(_without_cpp(name) if _CPP.search(name) else name, width)


def cut_in_the_middle(text: str, width: int) -> str:
    """The head and the tail of a text that is longer than `width`."""
    if len(text) <= width:
        return text
    head = (2 * width) // 3
    return f"{text[:head]}…{text[len(text) - (width - head - 1) :]}"


def _without_cpp(name: str) -> str:
    text = _ANONYMOUS.sub("", name)
    while (shorter := _ARGUMENTS.sub("", text)) != text:
        text = shorter
    text = _LAMBDA.sub("", text)
    text = _BETWEEN_BRACKETS.sub("", _NAMESPACES.sub("", _last_word(text)))
    return _POINTERS.sub("", text) or name


def _last_word(text: str) -> str:
    """What follows the last blank outside of template arguments: the name behind its type."""
    depth, start = 0, 0
    for place, letter in enumerate(text.rstrip()):
        depth += (letter == "<") - (letter == ">")
        if letter == " " and depth == 0:
            start = place + 1
    return text.rstrip()[start:]
