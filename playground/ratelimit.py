"""Token buckets: how often somebody may do something. The caller says what time it is."""

from __future__ import annotations

from collections import OrderedDict


class Bucket:
    """Fills with `per_s` tokens a second up to `most`; each action takes one."""

    def __init__(self, per_s: float, most: float, now_s: float) -> None:
        self.per_s, self.most = per_s, most
        self._tokens, self._at_s = most, now_s

    def take(self, now_s: float) -> bool:
        """Take a token if there is one."""
        self._tokens = min(self.most, self._tokens + (now_s - self._at_s) * self.per_s)
        self._at_s = now_s
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True


class Buckets:
    """One bucket for each caller; the callers seen longest ago are forgotten."""

    def __init__(self, per_s: float, most: float, remember: int = 10_000) -> None:
        self.per_s, self.most, self.remember = per_s, most, remember
        self._by_caller: OrderedDict[str, Bucket] = OrderedDict()

    def take(self, caller: str, now_s: float) -> bool:
        """Take a token of this caller's bucket if there is one."""
        bucket = self._by_caller.pop(caller, None) or Bucket(self.per_s, self.most, now_s)
        self._by_caller[caller] = bucket
        while len(self._by_caller) > self.remember:
            self._by_caller.popitem(last=False)
        return bucket.take(now_s)
