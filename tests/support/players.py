"""Small agents for tests of the runner, reached by import path (`support.players:Asker`)."""

import time

from unspoken.agents.base import AgentFailure, BaseAgent, legal_actions


class Asker(BaseAgent):
    """Asks or answers at random; after `questions` questions locks a word at random."""

    def __init__(self, name="asker", *, questions: int = 3, pause: float = 0.0):
        super().__init__(name)
        self.questions = questions
        self.pause = pause

    def act(self, observation, info):
        time.sleep(self.pause)
        legal = legal_actions(observation, info)
        if self.role == "seeker":
            n = len(self.spec.menu("seeker")) - len(self.spec.secrets())
            legal = legal[legal >= n] if info["turn"] > self.questions else legal[legal < n]
        return int(self.rng.choice(legal))


class Learner(Asker):
    """What it does depends on everything it was ever shown, in order."""

    def __init__(self, name="learner"):
        super().__init__(name)
        self.seen = 0

    def act(self, observation, info):
        self.rng.random(self.seen % 97)
        return super().act(observation, info)

    def observe(self, outcome):
        said = sum(m.action + m.turn for m in outcome.history)
        self.seen = 31 * self.seen + said + len(outcome.secret) + int(outcome.reward)


class Down(Asker):
    """Its provider is down."""

    def act(self, observation, info):
        raise AgentFailure("the provider is down")


class Buggy(Asker):
    """Has a bug, or gives an action that does not exist."""

    def act(self, observation, info):
        if info["turn"] == 1:
            return super().act(observation, info)
        return {}["nothing"] if self.role == "seeker" else 99


class Waiting(Asker):
    """Blocks, as a person or a synchronous client does."""

    def __init__(self, name="waiting"):
        super().__init__(name)
        self.quick = False

    def act(self, observation, info):
        time.sleep(0.05)
        return super().act(observation, info)


class Talker(Asker):
    """Speaks in its own words only."""

    def __init__(self, name="talker", *, name_: str = ""):
        super().__init__(name)

    def act(self, observation, info):
        return "Is it about an animal?" if self.role == "seeker" else "I would rather not say."


class Unfit(Asker):
    """Breaks where agents seldom do: in reset, in observe, or with text that cannot be stored."""

    def __init__(self, name="unfit", *, where: str = "reset"):
        super().__init__(name)
        self.where = where

    def reset(self, role, spec, seed):
        super().reset(role, spec, seed)
        if self.where == "reset":
            raise RuntimeError("not\ntoday")

    def act(self, observation, info):
        if self.where == "text":
            return "Is it \ud800 alive?" if self.role == "seeker" else "\ud800"
        return super().act(observation, info)

    def observe(self, outcome):
        if self.where == "observe":
            raise RuntimeError("no")


class Plain:
    """All that an agent has to be: no base class, no name."""

    def reset(self, role, spec, seed):
        self.role = role

    def act(self, observation, info):
        return 0

    def observe(self, outcome):
        pass


class Uncopyable(Plain):
    def __deepcopy__(self, memo):
        raise TypeError("holds a lock")
