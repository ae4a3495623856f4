"""Annotators of examinations by SDA's scheme: by rules, or by a language model."""

from unspoken.judges.sda.annotators.base import Annotated, Annotator, Labels
from unspoken.judges.sda.annotators.specs import make_annotator

__all__ = ["Annotated", "Annotator", "Labels", "make_annotator"]
