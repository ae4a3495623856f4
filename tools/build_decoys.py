"""Write the decoys of every category into `unspoken/data/sneak/categories.toml`, in place.

    PYTHONPATH=. python tools/build_decoys.py

The same words and WordNet table give the same decoys; everything else in the file stays.
"""

from __future__ import annotations

import tomllib

from unspoken.envs.sneak.decoys import generate
from unspoken.envs.sneak.instances import DEFAULT, listed

if __name__ == "__main__":
    text = DEFAULT.read_text(encoding="utf-8")
    entries = iter(tomllib.loads(text)["category"])
    lines = []
    for line in text.splitlines():
        if line.startswith("decoys ="):
            continue
        lines.append(line)
        if line.startswith("words ="):
            entry = next(entries)
            decoys = generate(entry["name"], entry["words"], entry["wordnet"])
            lines.append(f"decoys = {listed(decoys)}")
    DEFAULT.write_text("\n".join(lines) + "\n", encoding="utf-8")
