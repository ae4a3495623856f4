"""`cross_examination_v0`: the cross-examination of SDA, as PettingZoo's own games are imported.

```python
from unspoken.envs import cross_examination_v0
env = cross_examination_v0.env(case="warehouse_fire")
```
"""

from __future__ import annotations

from typing import Any

from pettingzoo import ParallelEnv
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from unspoken.envs.cross_examination.env import CrossExaminationEnv

__all__ = ["env", "parallel_env", "raw_env"]

raw_env = CrossExaminationEnv


def env(**options: Any) -> CrossExaminationEnv:
    """The game with PettingZoo's checks; options of `CrossExaminationEnv`."""
    return CrossExaminationEnv(checked=True, **options)


def parallel_env(**options: Any) -> ParallelEnv[str, Any, Any]:
    """The game behind PettingZoo's Parallel API: one agent acts a step, the others wait."""
    parallel: ParallelEnv[str, Any, Any] = turn_based_aec_to_parallel(env(**options))  # type: ignore[arg-type]
    return parallel
