"""The human study: answers are read strictly, and counted as by hand."""

from pathlib import Path

import numpy as np
import pytest
from sneak_players import Longing, Sure

from unspoken.benchmarks.sneak.human import AnswersError, human_tables, items, read_answers
from unspoken.envs.sneak.instances import Instance

OWL = Instance("bird", "concrete", ("duck", "hen", "owl"), "owl", ("wing", "egg", "nest"))
JOY = Instance("feeling", "abstract", ("joy", "fear", "anger"), "joy", ("deep", "mind", "mood"))
HEADER = "task,instance,message,worker,answer,options\n"


def write(tmp_path, *rows, header=HEADER) -> Path:
    path = tmp_path / "answers.csv"
    path.write_text(header + "".join(f"{row}\n" for row in rows), encoding="utf-8")
    return path


def answers(tmp_path, *rows, header=HEADER):
    return read_answers(write(tmp_path, *rows, header=header), (OWL, JOY))


def answered(task, instance, message, *chosen):
    return [f"{task},{instance},{message},w{n},{one}," for n, one in enumerate(chosen)]


def row(table, **wanted):
    (found,) = [r for r in table.rows if all(r[key] == value for key, value in wanted.items())]
    return found


# Reading ----------------------------------------------------------------------------------------


def test_answers_are_texts_or_letters_of_what_was_shown(tmp_path) -> None:
    (item,) = items(
        answers(
            tmp_path,
            "Ally,bird/owl,night,a, Night ,",
            "ally,bird/owl,night,b,wing,",
            "ally,bird/owl,night,c,B,nest|night|egg|wing",
            "ally,bird/owl,night,d,(b),egg | wing | nest | night",
        )
    )
    assert item.instance.decoys == ("wing", "egg", "nest")
    assert item.votes == (2, 2, 0, 0)  # night, wing, egg, nest
    assert item.right == 0
    assert item.codes == (2, 3, 2, 3)  # egg, nest, night, wing
    assert (item.top, item.strict) == ([0, 1], False)


def test_words_that_were_shown_replace_those_of_the_category(tmp_path) -> None:
    shown = "owl|hen|hawk|swan"
    (item,) = items(answers(tmp_path, f"chameleon,bird/owl,night,a,hawk,{shown}"))
    assert item.instance.words == ("hen", "owl", "hawk", "swan")
    assert item.votes == (0, 0, 1, 0)
    assert item.right == 1


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("judge,bird/owl,night,a,wing,", "line 2: task 'judge' is not one of ally, chameleon"),
        ("ally,bird/emu,night,a,wing,", "no instance 'bird/emu'"),
        ("ally,bird/owl,,a,wing,", "message is empty"),
        ("ally,bird/owl,night,,wing,", "worker is empty"),
        ("ally,bird/owl,night,a,,", "answer is empty"),
        ("ally,bird/owl,night,a,feather,", "'feather' is not one of the options: night | wing"),
        ("ally,bird/owl,night,a,A,", "'A' is not one of the options"),
        ("ally,bird/owl,night,a,E,night|wing|egg|nest", "'E' is not one of the options"),
        ("ally,bird/owl,wing,a,wing,", "'wing' is one of the decoys"),
        ("ally,bird/owl,night,a,egg,egg|wing", "'night' must be among the options once"),
        ("chameleon,bird/owl,night,a,hen,hen|hen|owl", "all different"),
        ("chameleon,bird/owl,night,a", "more or fewer fields"),
        ('chameleon,bird/owl,"night,a,hen,', "not CSV"),
    ],
)
def test_a_bad_row_is_named(tmp_path, line, message) -> None:
    with pytest.raises(AnswersError) as error:
        answers(tmp_path, line)
    assert message in str(error.value)
    assert "answers.csv" in str(error.value)


def test_bad_files_are_named(tmp_path) -> None:
    with pytest.raises(AnswersError, match="no column worker, answer"):
        answers(tmp_path, header="task,instance,message\n")
    with pytest.raises(AnswersError, match="holds no answers"):
        answers(tmp_path)
    with pytest.raises(AnswersError, match=r"line 3: worker 'w0' answers twice"):
        answers(tmp_path, *answered("ally", "bird/owl", "night", "wing")[:1] * 2)
    with pytest.raises(AnswersError, match="cannot be read: No such file"):
        read_answers(tmp_path / "none.csv", (OWL,))
    (tmp_path / "latin.csv").write_bytes(HEADER.encode() + b"ally,\xff")
    with pytest.raises(AnswersError, match="not UTF-8"):
        read_answers(tmp_path / "latin.csv", (OWL,))
    with pytest.raises(AnswersError, match="different options"):
        items(
            answers(
                tmp_path,
                "chameleon,bird/owl,night,a,hen,hen|owl|duck",
                "chameleon,bird/owl,night,b,hen,hen|owl|hawk",
            )
        )


# Counting ---------------------------------------------------------------------------------------


def study(tmp_path):
    """Two items a task with three answers each."""
    return answers(
        tmp_path,
        *answered("ally", "bird/owl", "night", "night", "night", "wing"),
        *answered("ally", "feeling/joy", "grin", "deep", "mind", "grin"),
        *answered("chameleon", "bird/owl", "night", "owl", "owl", "owl"),
        *answered("chameleon", "feeling/joy", "grin", "fear", "fear", "joy"),
    )


def test_accuracy_and_kappa_by_hand(tmp_path) -> None:
    (people,) = human_tables(study(tmp_path), {})
    ally, chameleon = row(people, task="ally"), row(people, task="chameleon")
    assert (ally["items"], ally["answers"], ally["chance"]) == (2, 6, 1 / 4)
    assert ally["worker"] == pytest.approx(3 / 6)
    assert ally["plurality"] == pytest.approx((1 + 1 / 3) / 2)  # of three tied, a third
    assert chameleon["worker"] == pytest.approx(4 / 6)
    assert chameleon["plurality"] == pytest.approx(1 / 2)
    # Fleiss, ally. Places in alphabetical order: egg nest night wing | deep grin mind mood.
    # Votes 0 0 2 1 and 1 1 1 0: agreement (1/3 + 0) / 2 = 1/6, chance (1 + 1 + 9 + 1) / 36 = 1/3.
    assert ally["kappa"] == pytest.approx((1 / 6 - 1 / 3) / (1 - 1 / 3))
    # Chameleon: duck hen owl | anger fear joy: 0 0 3 and 0 2 1: (1 + 1/3) / 2 = 2/3,
    # chance (0 + 4 + 16) / 36 = 5/9.
    assert chameleon["kappa"] == pytest.approx((2 / 3 - 5 / 9) / (1 - 5 / 9))


def test_kappa_takes_as_many_answers_everywhere(tmp_path) -> None:
    rows = answered("ally", "bird/owl", "night", "night", "wing")
    rows += answered("ally", "feeling/joy", "grin", "grin", "grin", "deep")
    (people,) = human_tables(answers(tmp_path, *rows), {})
    assert people.rows[0]["kappa"] is None
    assert people.rows[0]["alpha"] is not None


def test_agreement_of_evaluators_by_hand(tmp_path) -> None:
    right, wrong = Sure(found=0.7, leaked=0.9), Sure(found=0.1, leaked=0.1)
    _, agree = human_tables(study(tmp_path), {"right": right, "wrong": wrong})
    of_right = row(agree, task="ally", evaluator="right")
    assert of_right["top"] == pytest.approx((1 + 1 / 3) / 2)
    assert (of_right["strict_items"], of_right["strict"]) == (1, 1)
    of_wrong = row(agree, task="ally", evaluator="wrong")  # 0.1 and 0.3, 0.3, 0.3
    assert of_wrong["top"] == pytest.approx((0 + 2 / 3 * 1 / 3) / 2)
    average = row(agree, task="chameleon", evaluator="average")  # 0.5 on the secret
    assert average["top"] == pytest.approx(1 / 2)
    assert average["strict_items"] == 2
    assert average["r"] is None  # two items, and the probabilities do not vary


def test_vote_shares_correlate_as_numpy_has_it(tmp_path) -> None:
    rows = []
    for n, word in enumerate(("sun", "moonlight", "hoot", "wise")):
        chosen = ["owl"] * n + ["hen"] * (3 - n)
        rows += answered("chameleon", "bird/owl", word, *chosen)
    _, agree = human_tables(answers(tmp_path, *rows), {"longing": Longing()})
    shares = [0, 1 / 3, 2 / 3, 1]
    lengths = [(1 + abs(3 - n), 1 + abs(4 - n)) for n in (3, 9, 4, 4)]  # hen and owl, duck
    p = [(1 / a) / (2 / a + 1 / b) for a, b in lengths]
    assert agree.rows[0]["r"] == pytest.approx(np.corrcoef(shares, p)[0, 1])


def test_the_best_message_of_each_instance_counts(tmp_path) -> None:
    rows = [
        "speaker,bird/owl,,a,a very long message,",
        "speaker,bird/owl,,b,hoot,",
        "speaker,bird/owl,,c,owls,",
        "speaker,feeling/joy,,a,grin,",
    ]
    (speaking,) = human_tables(answers(tmp_path, *rows), {"sure": Sure(found=0.7, leaked=1 / 3)})
    everything, best = speaking.rows
    assert (everything["messages"], everything["refused"]) == (4, 1)
    assert (best["messages"], best["refused"]) == (2, 0)
    useful = (0.7 - 1 / 4) / (3 / 4)
    assert everything["utility"] == pytest.approx(useful * 3 / 4)
    assert best["soft"] == pytest.approx(useful)
