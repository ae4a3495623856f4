"""`aidg_dialogue_v0`: the dialogue game of AIDG-I, as PettingZoo's own games are imported.

```python
from unspoken.envs import aidg_dialogue_v0
env = aidg_dialogue_v0.env(mode="B")
```
"""

from __future__ import annotations

from typing import Any

from pettingzoo import ParallelEnv
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from unspoken.envs.aidg_dialogue.env import AidgDialogueEnv

__all__ = ["env", "parallel_env", "raw_env"]

raw_env = AidgDialogueEnv


def env(**options: Any) -> AidgDialogueEnv:
    """The game with PettingZoo's checks (order, bounds, legality); options of `AidgDialogueEnv`."""
    return AidgDialogueEnv(checked=True, **options)


def parallel_env(**options: Any) -> ParallelEnv[str, Any, Any]:
    """The game behind PettingZoo's Parallel API: one agent acts a step, the others wait."""
    parallel: ParallelEnv[str, Any, Any] = turn_based_aec_to_parallel(env(**options))  # type: ignore[arg-type]
    return parallel
