"""unspoken: hidden-information dialogue games for every kind of agent.

Importing the package loads nothing heavy. The games are in `unspoken.envs`, the agents in
`unspoken.agents`, the position evaluator in `unspoken.evaluator`.
"""

__version__ = "0.2.0"
