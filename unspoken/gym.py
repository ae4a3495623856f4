"""Registers every game with gymnasium.

```python
import gymnasium
import unspoken.gym
env = gymnasium.make("unspoken/AidgSearch-v0", role="seeker", opponent="table")
envs = gymnasium.make_vec("unspoken/AidgSearch-v0", 1024, role="seeker", opponent="table")
```
Without the second import: `gymnasium.make("unspoken.gym:unspoken/AidgSearch-v0", …)`. Keyword
arguments are those of `unspoken.wrappers.single.SingleAgent`; by default the learner has the first
role of the game, against `unspoken.agents.specs.OPPONENTS`.
"""

from __future__ import annotations

import gymnasium

from unspoken.envs.registry import GameSpec, games

NAMESPACE = "unspoken"


def gym_id(spec: GameSpec) -> str:
    """How gymnasium calls a game: "unspoken/AidgSearch-v0"."""
    name = "".join(part.capitalize() for part in spec.name.split("_"))
    return f"{NAMESPACE}/{name}-v{spec.version}"


for _game in games().values():
    if gym_id(_game) not in gymnasium.registry:
        gymnasium.register(
            gym_id(_game),
            entry_point="unspoken.wrappers.single:SingleAgent",
            vector_entry_point="unspoken.wrappers.single:make_vec",
            kwargs={"game": _game.name, "role": _game.roles[0]},
        )
