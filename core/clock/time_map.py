"""From the clock of a host to common time and back: the one place where times are converted."""

from typing import Any, NamedTuple, overload

import numpy as np
import numpy.typing as npt

Int64 = npt.NDArray[np.int64]

_MILLION = 1e6


class TimeMap(NamedTuple):
    """A clock that shows `common + offset_ns + drift_ppm / 1e6 * (common - at_ns)`."""

    offset_ns: int = 0
    drift_ppm: float = 0.0
    at_ns: int = 0
    """Common time at which the offset holds."""

    @overload
    def common(self, own_ns: int) -> int: ...
    @overload
    def common(self, own_ns: Int64) -> Int64: ...
    def common(self, own_ns: int | Int64) -> int | Int64:
        """Common time of moments of this clock, to the nanosecond."""
        drift = self.drift_ppm / _MILLION
        since_ns: Any = own_ns - self.offset_ns
        result: int | Int64 = since_ns - _rounded((since_ns - self.at_ns) * (drift / (1 + drift)))
        return result

    @overload
    def own(self, common_ns: int) -> int: ...
    @overload
    def own(self, common_ns: Int64) -> Int64: ...
    def own(self, common_ns: int | Int64) -> int | Int64:
        """What this clock shows at moments of common time."""
        drift = self.drift_ppm / _MILLION
        result: int | Int64 = (
            common_ns + self.offset_ns + _rounded((common_ns - self.at_ns) * drift)
        )
        return result


def _rounded(value: Any) -> Any:
    """To whole nanoseconds; a correction is small, so 53 bits hold it exactly enough."""
    if isinstance(value, float):
        return round(value)
    return np.rint(value).astype(np.int64)
