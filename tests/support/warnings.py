"""Warnings as errors, but for what PettingZoo says of any Dict or Text space."""

import re

import pytest

BOX_OR_DISCRETE = "probably should be gymnasium.spaces.box or gymnasium.spaces.discrete"
UNAVOIDABLE = (  # what api_test says of any Dict or Text space
    "Observation is not a NumPy array",
    f"Observation space for each agent {BOX_OR_DISCRETE}",
    f"Action space for each agent {BOX_OR_DISCRETE}",
)

ONLY_UNAVOIDABLE = pytest.mark.filterwarnings(
    "error", *(f"ignore:{re.escape(text)}$:UserWarning" for text in UNAVOIDABLE)
)
