"""aidg_search: AIDG-II, twenty questions with yes, no and maybe. Rules: the README beside this."""
