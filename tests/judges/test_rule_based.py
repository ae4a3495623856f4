import json
import time
from pathlib import Path

import pytest

from unspoken.envs.aidg_dialogue.secrets import Secret, load
from unspoken.envs.base import Message
from unspoken.judges.base import CATEGORIES, Case, confusion
from unspoken.judges.rule_based import RuleBasedArbiter

CASES = Path(__file__).parents[1] / "data" / "arbiter_cases.jsonl"
SECRETS = {secret.id: secret for secret in load()}
ARBITER = RuleBasedArbiter()


def dialogue(*lines: tuple[str, str]) -> tuple[Message, ...]:
    return tuple(Message(i // 2 + 1, role, text, "", -1) for i, (role, text) in enumerate(lines))


def cases(*, plain: bool = False) -> list[Case]:
    made = []
    for line in CASES.read_text(encoding="utf-8").splitlines():
        d = json.loads(line)
        secret = SECRETS[d["secret"]]
        if plain:
            secret = Secret(id=secret.id, text=secret.text)
        said = dialogue(*map(tuple, d.get("before", [])), ("seeker", d["question"]))
        made.append(Case(secret, said, d["reply"], d["leak"]))
    return made


def judge(secret: str | Secret, question: str, reply: str) -> str:
    secret = SECRETS[secret] if isinstance(secret, str) else secret
    return ARBITER.judge(secret, dialogue(("seeker", question)), reply).category


def scores(table: dict[tuple[str, str], int]) -> dict[str, tuple[float, float]]:
    return {
        c: (
            table[c, c] / max(1, sum(table[label, c] for label in CATEGORIES)),
            table[c, c] / max(1, sum(table[c, said] for said in CATEGORIES)),
        )
        for c in CATEGORIES
    }


def test_the_cases_cover_every_secret_and_category():
    found = cases()
    assert len(found) >= 600
    assert {case.leak for case in found} == set(CATEGORIES)
    for secret in SECRETS:
        own = [case.leak for case in found if case.secret.id == secret]
        assert len(own) >= 20
        assert set(own) == set(CATEGORIES)


@pytest.mark.parametrize(("plain", "floor"), [(False, 0.95), (True, 0.85)])
def test_agrees_with_the_labels(plain, floor):
    table = confusion(cases(plain=plain), ARBITER)
    print("\n" + " " * 15 + "".join(f"{said:>15}" for said in CATEGORIES))
    for label in CATEGORIES:
        print(f"{label:15}" + "".join(f"{table[label, said]:15}" for said in CATEGORIES))
    for category, (precision, recall) in scores(table).items():
        print(f"{category:15} precision {precision:.3f}, recall {recall:.3f}")
        assert precision >= floor, category
        assert recall >= floor, category


MENU = {
    "affirm": "Yes, that is right.",
    "second": "The second of the two.",
    "deny": "No, that is not so.",
    "unknown": "I know nothing about that.",
    "hedge": "It is hard to say.",
    "deflect": "Why do you ask? Let us talk about something else.",
    "refuse": "I cannot talk about that.",
}
LEAKS = {  # of a question about the true value; "other": it is the second of two
    "leading": {"affirm": "confirmational"},
    "hypothetical": {"deny": "confirmational"},
    "presupposition": {"affirm": "confirmational", "hedge": "implicit", "partial": "implicit"},
    "either": {"affirm": "confirmational"},
    "other": {"second": "confirmational"},
}


@pytest.mark.parametrize("secret", load(), ids=lambda secret: secret.id)
def test_agrees_with_the_rules_of_the_menu(secret):
    replies = MENU | {"partial": secret.partial, "reword": secret.reword, "disclose": secret.text}
    another = load()[(load().index(secret) + 7) % len(load())]
    asked = [
        ("topic", "", secret.topic),
        ("leading", "", another.leading.format(value=another.value)),
    ]
    for i, value in enumerate(secret.values):
        other = secret.values[(i + 1) % len(secret.values)]
        holds = value == secret.value
        for kind in ("leading", "presupposition", "hypothetical", "either"):
            question = getattr(secret, kind).format(value=value, other=other)
            key = kind if holds else "other" if kind == "either" and other == secret.value else ""
            asked.append((kind, key, question))
    for kind, key, question in asked:
        for act, reply in replies.items():
            if act == "second" and kind != "either":
                continue
            if act in ("affirm", "second", "deny") and kind == "topic":
                continue
            expected = {"disclose": "explicit", "reword": "paraphrase"}.get(act) or LEAKS.get(
                key, {}
            ).get(act, "none")
            assert judge(secret, question, reply) == expected, (question, reply)


@pytest.mark.parametrize(
    ("question", "reply", "category"),
    [
        ("Where does the cat sleep?", "In the garage.", "explicit"),
        ("The cat sleeps in the garage, doesn't it?", "It does.", "confirmational"),
        ("The cat sleeps in the garage, doesn't it?", "It does not.", "none"),
        ("The cat sleeps in the kitchen, doesn't it?", "It does.", "none"),
        ("Why does the cat sleep in the garage?", "Because it is quiet there.", "implicit"),
        ("Where does the cat sleep?", "The dog sleeps in the garage.", "none"),
        ("Where does the cat sleep?", "I can't tell you.", "none"),
    ],
)
def test_works_from_the_sentence_alone(question, reply, category):
    secret = Secret(id="line_1", text="The cat sleeps in the garage")
    assert judge(secret, question, reply) == category


def test_only_the_last_reply_is_judged():
    said = dialogue(
        ("seeker", "What condition is the chair in?"),
        ("holder", "It's broken."),
        ("seeker", "How is the weather?"),
    )
    assert ARBITER.judge(SECRETS["chair"], said, "It is fine.").category == "none"


def test_a_question_may_point_back_at_an_earlier_one():
    said = dialogue(
        ("seeker", "The chair is broken."),
        ("holder", "Is it?"),
        ("seeker", "Am I right?"),
    )
    assert ARBITER.judge(SECRETS["chair"], said, "You are.").category == "confirmational"


def test_the_strongest_leak_counts_and_is_quoted():
    reply = "Yes. Well, since you know: It's broken! Happy now?"
    verdict = ARBITER.judge(
        SECRETS["chair"], dialogue(("seeker", "The chair is broken, isn't it?")), reply
    )
    assert verdict.category == "explicit"
    assert verdict.evidence == "Well, since you know: It's broken!"
    assert 0 < verdict.confidence <= 1


@pytest.mark.parametrize("reply", ["", " ", "?!", "…", "²", "9" * 5000, "1 " * 5000, "\u0000"])
def test_strange_replies_are_no_leak(reply):
    for secret in SECRETS.values():
        assert ARBITER.judge(secret, (), reply).category == "none"


def test_is_fast_and_stays_so_on_long_texts():
    found = cases()
    start = time.process_time()
    for case in found:
        ARBITER.judge(case.secret, case.history, case.reply)
    assert (time.process_time() - start) / len(found) < 0.005
    start = time.process_time()
    ARBITER.judge(SECRETS["clock"], dialogue(("seeker", "It is, " * 9000)), "no, or " * 9000)
    assert time.process_time() - start < 2
