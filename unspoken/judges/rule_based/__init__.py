"""The rule-based arbiter: deterministic and offline."""

from unspoken.judges.rule_based.arbiter import RuleBasedArbiter

__all__ = ["RuleBasedArbiter"]
