"""The agents: everything that can sit at a game, behind one interface (`unspoken.agents.base`)."""
