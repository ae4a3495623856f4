"""The sentences that the moves of the cross-examination are said in.

The questioner's menu holds, for every fact of the case, its open question, its leading question
and the confrontation on it; the witness's holds every content in every manner, about the question
under discussion. What has no sentence now (a confrontation with nothing, a part that the fact does
not have) is "".
"""

from __future__ import annotations

from collections.abc import Sequence

from unspoken.envs.cross_examination.cases import (
    CLAUSES,
    CONTENTS,
    MANNERS,
    Case,
    Content,
    Exhibit,
    Manner,
)
from unspoken.envs.cross_examination.rules import FORMS, Ground, Question, answers

QUESTIONER = "questioner_0"
WITNESS = "witness_0"

ANSWERS: tuple[tuple[Content, Manner], ...] = tuple((c, m) for c in CONTENTS for m in MANNERS)
"""The witness's acts, in the order of its menu."""

_AGAIN = "I ask you again."
_BOTH = "Both cannot be true."


def places(facts: int) -> dict[str, tuple[str, ...]]:
    """What stands in the menus before a game: one place a move, in words of no case."""
    asked = tuple(f"({form} question on fact {n})" for n in range(1, facts + 1) for form in FORMS)
    return {QUESTIONER: asked, WITNESS: tuple(f"({c}, {m})" for c, m in ANSWERS)}


def question_menu(
    case: Case, questions: Sequence[Question | None], said: Sequence[str]
) -> tuple[str, ...]:
    """The questioner's sentences, one an act, 3F.

    Args:
        case: the case, with its exhibits.
        questions: for each fact its questions in the order of `FORMS`, None where there is none.
        said: the witness's answers so far, word for word.
    """
    sentences = []
    for fact, confrontation in zip(case.facts, questions[2 :: len(FORMS)], strict=True):
        ground = confrontation.ground if confrontation else None
        confronted = f"{_confront(case, ground, said)} {fact.leading}" if ground else ""
        sentences += [fact.open, fact.leading, confronted]
    return tuple(sentences)


def _confront(case: Case, ground: Ground, said: Sequence[str]) -> str:
    """What is held before the witness before it is asked again."""
    earlier = f'You said: "{said[ground.answer - 1]}"'
    if ground.exhibit >= 0:
        exhibit = case.exhibits[ground.exhibit]
        return f"{earlier} I show you {exhibit.name}: {exhibit.text}. {_AGAIN}"
    pair = {case.facts[ground.fact].id, case.facts[ground.stance.fact].id}
    why = next((link.why for link in case.links if set(link.facts) == pair), _BOTH)
    return f'{earlier} You also said: "{said[ground.turn - 1]}" {why} {_AGAIN}'


def answer_menu(case: Case, question: Question) -> tuple[str, ...]:
    """The witness's sentences, one an act, 16; about the question under discussion."""
    legal = answers(case, question)
    return tuple(
        _answer(case, question, content, manner) if content in legal else ""
        for content, manner in ANSWERS
    )


def _answer(case: Case, question: Question, content: Content, manner: Manner) -> str:
    fact = question.fact
    if fact is None:
        slots = {"yes": "that is so", "no": "that is not so", "aside": case.topics[0].aside}
    else:
        said = case.facts[fact]
        aside = case.topic(fact).aside
        slots = {"yes": said.yes, "no": said.no, "part": said.part, "aside": aside}
    if question.form == "open" and manner == "clear" and content in ("affirm", "deny"):
        clause = slots[CLAUSES[content]]  # nobody says yes or no to an open question
        return f"{clause[0].upper()}{clause[1:]}."
    return case.manners[content][manner].format(**slots)


def secret(case: Case) -> str:
    """What is hidden of a case, on one line: what is so and what is not."""
    pairs = list(zip(case.facts, case.truth, strict=True))
    so, not_so = ("; ".join(f.statement for f, t in pairs if t == v) for v in (True, False))
    return f"True: {so or 'nothing'}. False: {not_so or 'nothing'}."


def briefs(case: Case, exhibits: Sequence[Exhibit], max_turns: int) -> dict[str, str]:
    """What each agent's observation begins with: the rules in short, and what it knows.

    Args:
        case: the case, with its truth.
        exhibits: those that the questioner holds.
        max_turns: questions at most.
    """
    known = "; ".join(fact.statement for fact in case.facts if fact.known)
    story = f"{case.title}. {case.charge}\nThe witness: {case.witness}.\n"
    if known:
        story += f"Nobody disputes this: {known}.\n"
    topics = ", ".join(topic.name for topic in case.topics)
    held = "".join(f"- {exhibit.name}: {exhibit.text}\n" for exhibit in exhibits)
    return {
        QUESTIONER: (
            f"You are the questioner. {story}"
            f"It wants the jury to believe that {case.goal}. Show that it is not to be believed, "
            f"with {max_turns} questions at most, about {topics}. What it has answered you can "
            "only come back to with something that contradicts it: another of its answers, or "
            f"an exhibit. You hold {'these exhibits:' if held else 'no exhibits.'}\n{held}"
        ),
        WITNESS: (
            f"You are the witness. {story}"
            f"You want the jury to believe that {case.goal}. It weighs every answer: for you "
            "counts what helps you, against you what harms you, what is evasive, what it knows "
            "to be false, and most of all what contradicts your own words. You will be asked "
            f"{max_turns} questions at most. The questioner may hold exhibits. "
            f"{secret(case)}\n"
        ),
    }
