"""`chameleon_v0`: clues and a vote among many, as PettingZoo's own games are imported.

```python
from unspoken.envs import chameleon_v0
env = chameleon_v0.env(players=5)
```
"""

from __future__ import annotations

from typing import Any

from pettingzoo import ParallelEnv
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from unspoken.envs.chameleon.env import ChameleonEnv

__all__ = ["env", "parallel_env", "raw_env"]

raw_env = ChameleonEnv


def env(**options: Any) -> ChameleonEnv:
    """The game with PettingZoo's checks (order, bounds); options of `ChameleonEnv`."""
    return ChameleonEnv(checked=True, **options)


def parallel_env(**options: Any) -> ParallelEnv[str, Any, Any]:
    """The game behind PettingZoo's Parallel API: one agent acts a step, the others wait."""
    parallel: ParallelEnv[str, Any, Any] = turn_based_aec_to_parallel(env(**options))  # type: ignore[arg-type]
    return parallel
