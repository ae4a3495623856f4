"""`sneak_v0`: the SNEAK benchmark as a game, as PettingZoo's own games are imported.

```python
from unspoken.envs import sneak_v0
env = sneak_v0.env()
```
"""

from __future__ import annotations

from typing import Any

from pettingzoo import ParallelEnv
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from unspoken.envs.sneak.env import SneakEnv

__all__ = ["env", "parallel_env", "raw_env"]

raw_env = SneakEnv


def env(**options: Any) -> SneakEnv:
    """The game with PettingZoo's checks (order, bounds, legality); options of `SneakEnv`."""
    return SneakEnv(checked=True, **options)


def parallel_env(**options: Any) -> ParallelEnv[str, Any, Any]:
    """The game behind PettingZoo's Parallel API: one agent acts a step, the others wait."""
    parallel: ParallelEnv[str, Any, Any] = turn_based_aec_to_parallel(env(**options))  # type: ignore[arg-type]
    return parallel
