"""Reads what players of the search game type: a seeker's utterance, a holder's answer."""

from unspoken.envs.aidg_search.interpreter.reader import Interpreter, interpreter

__all__ = ["Interpreter", "interpreter"]
