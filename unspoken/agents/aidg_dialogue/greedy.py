"""A player by the evaluator. Numba comes in with its kernels, on the first move."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from unspoken.agents.aidg_dialogue.player import Asked, DialoguePlayer, Seeking
from unspoken.agents.aidg_dialogue.reading import Exchange, Facts
from unspoken.envs.aidg_dialogue.rules import ACTS, Act
from unspoken.evaluator.aidg_dialogue_reference import (
    PARTIAL,
    VALUES,
    Floats,
    Position,
    packaged,
    parts,
    prior,
)
from unspoken.evaluator.bounds import check_search

_TIE = 1e-9


@dataclass
class Greedy(DialoguePlayer):
    """Asks what bounded lookahead values most; replies what leaves the seeker least.

    Seeking, it believes that the holder is one of the evaluator's manners. Holding, it takes an
    act that is neither a lie nor a leak, and of those one that leaves such a seeker with the most
    entropy; where refusals are counted, it saves them.

    Attributes:
        depth: questions to look ahead, 0 (hazard plus information gain, at once) or more.
        width: questions to consider at each step, 1 or more.
    """

    name: str = "greedy"
    depth: int = field(default=1, kw_only=True)
    width: int = field(default=8, kw_only=True)

    def __post_init__(self) -> None:
        check_search(self.depth, self.width)

    def belief(self, facts: Facts, heard: list[Exchange]) -> Floats:
        """What a seeker believes about manner and fact, float64 [M, F]."""
        from unspoken.evaluator import aidg_dialogue as kernels

        joint = prior(facts)
        for i, exchange in enumerate(heard):
            if exchange.evidence:
                packed = packaged(self._may_refuse(heard[:i]))
                told = self._book.told(exchange)
                joint = kernels.update(joint, packed, exchange.question, exchange.act, told)
        return joint

    def _seek(self, seeking: Seeking) -> int:
        from unspoken.evaluator import aidg_dialogue as kernels

        joint, packed = self.belief(seeking.facts, seeking.heard), packaged(seeking.refusing)
        position = Position(joint, seeking.turn, seeking.max_turns, packed)
        best = kernels.best_action(position, self.depth, self.width)
        if best in seeking.legal:
            return best
        return int(seeking.legal[kernels.promise(joint, packed)[seeking.legal].argmax()])

    def _hold(self, asked: Asked) -> Act:
        acts = asked.safe or asked.honest
        if asked.question >= 0:
            left = self._entropies(asked, acts)
            acts = tuple(a for a, e in zip(acts, left, strict=True) if e > max(left) - _TIE)
        if self.spec.options.get("max_refusals") is not None:
            acts = tuple(act for act in acts if act not in ("refuse", "deflect")) or acts
        return acts[int(self.rng.integers(len(acts)))]

    def _entropies(self, asked: Asked, acts: tuple[Act, ...]) -> list[float]:
        """Bits that each act leaves a seeker in doubt."""
        from unspoken.evaluator import aidg_dialogue as kernels

        everything = np.ones(len(self._book), np.bool_)
        known = self._book.mask(asked.facts) if asked.mode == "A" else everything
        joint = self.belief(known, asked.heard)
        packed = packaged(self._may_refuse(asked.heard))
        secrets = [fact // VALUES for fact in asked.facts]
        about = parts(asked.question)[0]
        topical = about if about in secrets else secrets[0]
        return [
            kernels.entropy(
                kernels.update(
                    joint,
                    packed,
                    asked.question,
                    ACTS.index(act),
                    topical if ACTS.index(act) >= PARTIAL else -1,
                )
            )
            for act in acts
        ]
