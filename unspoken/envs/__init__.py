"""The games, as PettingZoo environments: `from unspoken.envs import aidg_search_v0`.

With PettingZoo 1.27 or newer, importing this package also registers them, so that
`pettingzoo.make("aec", "unspoken/aidg_search-v0")` works.
"""

import pettingzoo

from unspoken.envs.registry import games

if hasattr(pettingzoo, "register"):
    for _spec in games().values():
        _id = f"unspoken/{_spec.name}-v{_spec.version}"
        if _id not in pettingzoo.aec_registry:
            pettingzoo.register("aec", _id, f"{_spec.module}:env")
        if _id not in pettingzoo.parallel_registry:
            pettingzoo.register("parallel", _id, f"{_spec.module}:parallel_env")
