"""Token buckets: how often somebody may do something. The caller says what time it is."""

from __future__ import annotations

from collections import OrderedDict


class Bucket:
    """Fills with `per_s` tokens a second up to `most`; each action takes one, a large one more."""

    def __init__(self, per_s: float, most: float, now_s: float) -> None:
        self.per_s, self.most = per_s, most
        self._tokens, self._at_s = most, now_s

    def take(self, now_s: float) -> bool:
        """Take a token if there is one."""
        self.spend(now_s, 0)
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True

    def spend(self, now_s: float, count: int) -> None:
        """Take so many tokens, though there may be fewer: the debt must fill up first."""
        self._tokens = min(self.most, self._tokens + (now_s - self._at_s) * self.per_s) - count
        self._at_s = now_s


class Buckets:
    """One bucket for each caller; the callers seen longest ago are forgotten."""

    def __init__(self, per_s: float, most: float, remember: int = 10_000) -> None:
        self.per_s, self.most, self.remember = per_s, most, remember
        self._by_caller: OrderedDict[str, Bucket] = OrderedDict()

    def take(self, caller: str, now_s: float) -> bool:
        """Take a token of this caller's bucket if there is one."""
        return self._of(caller, now_s).take(now_s)

    def spend(self, caller: str, now_s: float, count: int) -> None:
        """Take so many tokens of this caller's bucket, though there may be fewer."""
        if count:
            self._of(caller, now_s).spend(now_s, count)

    def _of(self, caller: str, now_s: float) -> Bucket:
        bucket = self._by_caller.pop(caller, None) or Bucket(self.per_s, self.most, now_s)
        self._by_caller[caller] = bucket
        while len(self._by_caller) > self.remember:
            self._by_caller.popitem(last=False)
        return bucket
