import math
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest

from unspoken.agents.base import Outcome
from unspoken.agents.human import HumanAgent
from unspoken.agents.sneak.listeners import Embedding
from unspoken.agents.sneak.player import distribution
from unspoken.agents.sneak.reputation import LAPSE, TEMPERATURES, Reputation, hearing
from unspoken.agents.sneak.rsa import RSA
from unspoken.agents.sneak.speakers import (
    Best,
    CategorySynonym,
    RandomWord,
    SecretSynonym,
    likely_decoys,
)
from unspoken.agents.specs import SpecError, make_agent
from unspoken.envs.base import Message
from unspoken.envs.registry import game
from unspoken.envs.result import Result
from unspoken.envs.sneak.instances import instances, load
from unspoken.envs.sneak.interpreter import allowed, fault, read_answer
from unspoken.envs.sneak.rules import soft_score
from unspoken.judges.listeners.specs import make_listener
from unspoken.lexicon.vectors import similarity, vocabulary

SPEC = game("sneak")
FREE = SPEC.with_options(utterances="free")
INSTANCES = {instance.id: instance for instance in instances(load())}
SPEAKERS = [RandomWord, CategorySynonym, SecretSynonym, RSA, Best, Reputation]
LISTENERS = [RandomWord, RSA, Embedding]
SEATS = ("speaker_0", "ally_0", "chameleon_0")


def begin(players, secret, seed, spec=FREE):
    env = spec.env()
    env.reset(seed=seed, options={"secret": secret})
    seated = dict(zip(SEATS, players, strict=True))
    for number, (seat, player) in enumerate(seated.items()):
        player.reset(seat.removesuffix("_0"), spec, 10 * seed + number)
    return env, seated


def finish(env, seated):
    while env.result is None:
        seat = env.agent_selection
        env.step(seated[seat].act(env.observe(seat), env.infos[seat]))
    return env


def play(players, secret, seed, spec=FREE):
    return finish(*begin(players, secret, seed, spec))


def speech(speaker, secret, seed=0, spec=FREE):
    """What a speaker says."""
    env, _ = begin((speaker, RandomWord(), RandomWord()), secret, seed, spec)
    said = speaker.act(env.observe("speaker_0"), env.infos["speaker_0"])
    return said if isinstance(said, str) else env.menu("speaker_0")[said]


def listening(listener, role, secret="bird/owl", message="night", seed=0, spec=FREE, times=1):
    """What a listener answers to a message, and among what it chose."""
    env = spec.env()
    env.reset(seed=seed, options={"secret": secret})
    env.step(message if spec is FREE else vocabulary().index(message))
    if role == "chameleon":
        env.step("A" if spec is FREE else 0)
    agent = f"{role}_0"
    info = env.infos[agent]
    listener.reset(role, spec, seed)
    given = [listener.act(env.observe(agent), info) for _ in range(times)]
    return given, info["messages" if role == "ally" else "words"]


# everybody


@pytest.mark.parametrize("utterances", ["free", "menu"])
@pytest.mark.parametrize("speaker", SPEAKERS)
@pytest.mark.parametrize("listener", LISTENERS)
def test_everybody_plays_everybody_legally_and_reproducibly(speaker, listener, utterances):
    spec = SPEC.with_options(utterances=utterances)
    first, again = (
        play((speaker(), listener(), listener()), "weather phenomenon/fog", 5, spec)
        for _ in range(2)
    )
    assert first.history == again.history
    assert first.result.outcome in ("signalled", "leaked", "missed", "backfired")
    assert first.faults == dict.fromkeys(SEATS, 0)
    if utterances == "menu":
        assert first.history[0].action >= 0


@pytest.mark.parametrize("speaker", SPEAKERS)
def test_small_tables_and_fewer_decoys_are_respected(speaker):
    spec = FREE.with_options(n_words=3, n_decoys=2)
    env = play((speaker(), RSA(), Embedding()), "bird/owl", 2, spec)
    assert env.result.outcome in ("signalled", "leaked", "missed", "backfired")


@pytest.mark.parametrize("speaker", [CategorySynonym, SecretSynonym, RandomWord])
def test_no_rule_refuses_what_the_reference_speakers_say(speaker):
    for secret in list(INSTANCES)[::23]:
        assert not fault(speech(speaker(), secret), INSTANCES[secret])


@pytest.mark.parametrize("speaker", [*SPEAKERS, lambda: RSA(greedy=False)])
def test_a_copy_in_mid_game_goes_on_alike(speaker):
    seated = (speaker(), Embedding(greedy=False), RandomWord())
    env, players = begin(seated, "fruit/lemon", 3)
    env2, players2 = deepcopy((env, players))
    assert finish(env, players).history == finish(env2, players2).history


# speakers


def test_a_random_word_has_nothing_to_do_with_the_card():
    words = {speech(RandomWord(), "bird/owl", seed) for seed in range(20)}
    assert len(words) == 20
    assert similarity(sorted(words), ["owl"]).mean() < 0.2


def test_by_menu_a_random_word_is_any_that_is_allowed():
    menu = SPEC.with_options(utterances="menu")
    player = RandomWord()
    env, _ = begin((player, RandomWord(), RandomWord()), "bird/owl", 0, menu)
    mask = np.zeros(len(vocabulary()), np.int8)
    mask[[3, 70, 500]] = 1
    seen, info = {**env.observe("speaker_0"), "action_mask": mask}, env.infos["speaker_0"]
    assert {player.act(seen, info) for _ in range(100)} == {3, 70, 500}


@pytest.mark.parametrize(
    ("secret", "said"),
    [
        # synsets of WordNet 3.0
        ("watercraft/barge", {"flatboat", "hoy", "lighter"}),
        ("condiment/vinegar", {"acetum"}),
        ("herb or spice/garlic", {"ail"}),
        ("building material/cement", {"concrete"}),
    ],
)
def test_a_synonym_of_the_secret(secret, said):
    assert speech(SecretSynonym(), secret) in said


def test_synonyms_that_the_rules_refuse_are_passed_over():
    # dog.n.01: "domestic dog" holds the secret
    assert speech(SecretSynonym(), "four-footed animal/dog") == "Canis familiaris"


def test_words_for_the_category_are_no_synonyms_of_the_secret():
    for secret in ("color/blue", "vegetable/onion", "meat/pork", "fruit/pineapple"):
        assert speech(SecretSynonym(), secret) not in ("color", "vegetable", "meat", "fruit")


def test_by_menu_the_synonym_is_the_nearest_word_that_can_be_said():
    menu = SPEC.with_options(utterances="menu")
    secret = "bird/owl"
    said = speech(SecretSynonym(), secret, spec=menu)
    instance = INSTANCES[secret]
    assert said in [vocabulary()[i] for i in np.flatnonzero(allowed(instance))]
    assert said not in (*instance.words, "bird")


@pytest.mark.parametrize(
    ("category", "said"),
    [("vegetable", "veggie"), ("alcoholic drink", "alcohol"), ("color", "colour")],
)
def test_another_word_for_the_category(category, said):
    secrets = [secret for secret in INSTANCES if secret.startswith(f"{category}/")]
    assert {speech(CategorySynonym(), secret) for secret in secrets[:4]} == {said}


def softmax(x):
    weights = [math.exp(value) for value in x]
    return [weight / sum(weights) for weight in weights]


def literal(instance):
    """P(secret | m) of a literal listener, by hand, for all words that can be said."""
    temperature = make_listener("rsa").temperature
    words = [vocabulary()[i] for i in np.flatnonzero(allowed(instance))]
    likeness = similarity(words, instance.words).astype(float) / temperature
    secret = instance.words.index(instance.secret)
    return words, [softmax(row)[secret] for row in likeness]


def test_rsa_says_what_tells_the_literal_listener_most():
    instance = INSTANCES["weather phenomenon/fog"]
    words, tells = literal(instance)
    assert speech(RSA(), instance.id) == words[int(np.argmax(tells))]


def test_rsa_draws_by_how_much_a_message_tells():
    instance = INSTANCES["weather phenomenon/fog"]
    words, tells = literal(instance)
    expected = np.array(tells) ** 6 / np.sum(np.array(tells) ** 6)
    player = RSA(greedy=False, alpha=6)
    env, _ = begin((player, RandomWord(), RandomWord()), instance.id, 0)
    seen, info = env.observe("speaker_0"), env.infos["speaker_0"]
    drawn = [player.act(seen, info) for _ in range(150)]
    top = np.argsort(-expected)[:20]
    share = sum(drawn.count(words[i]) for i in top) / 150
    assert share == pytest.approx(expected[top].sum(), abs=0.12)


@pytest.mark.parametrize("listener", ["embedding", "rsa?depth=1"])
def test_best_with_known_decoys_is_the_best_of_all_messages(listener):
    instance = INSTANCES["bird/owl"]
    ear = make_listener(listener)
    secret = instance.words.index("owl")

    def worth(message):
        ally, chameleon = ear.ally(instance, message), ear.chameleon(instance, message)
        return soft_score(float(ally[0]), float(chameleon[secret]), len(ally), len(chameleon))

    found = worth(speech(Best(decoys="known", listener=listener), instance.id))
    everything = [vocabulary()[i] for i in np.flatnonzero(allowed(instance))]
    others = everything if listener == "embedding" else everything[::20]
    assert found >= max(map(worth, others)) - 1e-9


def test_assumed_decoys_fit_the_whole_card_and_are_none_of_it():
    for category in load()[::10]:
        decoys = likely_decoys(category.name, category.words, 5)
        assert len(set(decoys)) == 5
        assert not {*category.words, category.name} & set(decoys)
        fits = similarity(vocabulary(), category.words).mean(axis=1)
        own = similarity(decoys, category.words).mean(axis=1)
        assert own.min() > np.quantile(fits, 0.95)


def test_best_does_not_look_at_decoys_unless_told(monkeypatch):
    def blind(player):
        env, _ = begin((player, RandomWord(), RandomWord()), "bird/owl", 0)
        seen, info = env.observe("speaker_0"), env.infos["speaker_0"]
        assert "messages" not in info
        return player.act(seen, info)

    own = blind(Best())
    others = {c.name: replace(c, decoys=("xyzzy",) * 5) for c in load()}
    monkeypatch.setattr("unspoken.agents.sneak.player._categories", lambda file: others)
    assert blind(Best()) == own


# listeners


@pytest.mark.parametrize("listener", [Embedding, RSA])
@pytest.mark.parametrize("role", ["ally", "chameleon"])
def test_listeners_take_what_their_model_finds_likeliest(listener, role):
    model = make_listener(listener().name)
    for secret in ("bird/owl", "weather phenomenon/fog", "fruit/lemon"):
        instance = INSTANCES[secret]
        ((answer,), options) = listening(listener(), role, secret, "night", seed=4)
        if role == "ally":
            by_option = dict(
                zip(("night", *instance.decoys), model.ally(instance, "night"), strict=True)
            )
        else:
            heard = model.chameleon(instance, "night")
            by_option = dict(zip(instance.words, heard, strict=True))
        assert options[answer] == max(options, key=by_option.__getitem__)


@pytest.mark.parametrize("role", ["ally", "chameleon"])
def test_distributions_are_answers_that_the_game_reads(role):
    env_free, options = listening(Embedding(distribution=True), role)
    p = read_answer(env_free[0], options)
    assert p.sum() == pytest.approx(1)
    best, _ = listening(Embedding(), role)
    assert p.argmax() == best[0]
    erring = read_answer(listening(Embedding(distribution=True, error=0.5), role)[0][0], options)
    assert erring == pytest.approx((p + 1 / len(p)) / 2, abs=1e-4)


def test_by_menu_a_distribution_becomes_its_likeliest_option():
    menu = SPEC.with_options(utterances="menu")
    plain, _ = listening(Embedding(), "ally", spec=menu)
    given, _ = listening(Embedding(distribution=True), "ally", spec=menu)
    assert given == plain


def test_every_distribution_adds_up():
    for n in (2, 6, 12):
        text = distribution(np.full(n, 1 / n))
        assert read_answer(text, [f"word{i}" for i in range(n)]).sum() == pytest.approx(1)


def test_errors_are_as_many_as_told():
    (best,), options = listening(Embedding(), "chameleon")
    given, _ = listening(Embedding(error=0.6), "chameleon", times=2000)
    share = np.mean(np.array(given) != best)
    assert share == pytest.approx(0.6 * (1 - 1 / len(options)), abs=0.04)


def test_a_listener_that_draws_draws_by_its_probabilities():
    said, options = listening(Embedding(distribution=True), "chameleon")
    p = read_answer(said[0], options)
    given, _ = listening(Embedding(greedy=False), "chameleon", times=3000)
    assert np.bincount(given, minlength=len(p)) / 3000 == pytest.approx(p, abs=0.04)


def test_random_listeners_guess():
    given, options = listening(RandomWord(), "ally", times=1200)
    assert np.bincount(given) / 1200 == pytest.approx(np.full(len(options), 1 / 6), abs=0.05)


def test_the_order_of_the_messages_does_not_matter_to_the_ally():
    for listener in (Embedding, RSA):
        heard = [listening(listener(), "ally", seed=seed) for seed in range(4)]
        assert len({options[answer] for (answer,), options in heard}) == 1


# reputation

NAMES = {"speaker_0": "me", "ally_0": "ann", "chameleon_0": "carl"}


def outcome(secret, message, ending, names=NAMES, role="speaker"):
    history = (Message(1, "speaker", message, "message", -1),)
    result = Result(ending, None, 2)
    return Outcome("sneak", role, names, secret, history, result, 0.0)


def named(**names):
    return replace(FREE, names={**NAMES, **{f"{role}_0": name for role, name in names.items()}})


def test_the_posterior_is_bayes_over_what_listeners_found():
    agent = Reputation(memory=0.5, decoys="known")
    agent.observe(outcome("owl", "night", "signalled"))
    agent.observe(outcome("fog", "grey", "backfired"))
    agent.reset("speaker", named(), 0)
    owl, fog = INSTANCES["bird/owl"], INSTANCES["weather phenomenon/fog"]
    ally, chameleon = [], []
    for temperature in TEMPERATURES:
        ear = make_listener(f"embedding?temperature={temperature}")
        found = [
            (1 - LAPSE) * ear.ally(i, m)[0] + LAPSE / 6 for i, m in ((owl, "night"), (fog, "grey"))
        ]
        ally.append(found[0] ** 0.5 * (1 - found[1]))
        found = [
            (1 - LAPSE) * ear.chameleon(i, m)[i.words.index(i.secret)] + LAPSE / len(i.words)
            for i, m in ((owl, "night"), (fog, "grey"))
        ]
        chameleon.append((1 - found[0]) ** 0.5 * found[1])
    expected = np.array([ally, chameleon])
    expected /= expected.sum(axis=1, keepdims=True)
    assert agent.posteriors == pytest.approx(expected, abs=1e-6)


def test_a_stranger_may_hear_anyhow():
    agent = Reputation()
    agent.observe(outcome("owl", "night", "signalled"))
    agent.reset("speaker", named(ally="eve", chameleon="dan"), 0)
    assert agent.posteriors == pytest.approx(np.full((2, len(TEMPERATURES)), 1 / len(TEMPERATURES)))


def test_nothing_is_learnt_of_violations_voids_other_roles_and_unknown_words():
    agent = Reputation()
    for finished in (
        outcome("owl", "night", "violation"),
        outcome("owl", "night", "void"),
        outcome("owl", "night", "signalled", role="ally"),
        replace(outcome("owl", "night", "signalled"), history=()),
    ):
        agent.observe(finished)
    assert not agent.records
    agent.observe(outcome("xyzzy", "night", "signalled"))
    agent.reset("speaker", named(), 0)
    assert agent.posteriors == pytest.approx(np.full((2, len(TEMPERATURES)), 1 / len(TEMPERATURES)))


def test_where_two_categories_have_a_word_each_is_as_likely():
    assert [i.id for i in INSTANCES.values() if i.secret == "orange"] == [
        "fruit/orange",
        "color/orange",
    ]
    agent = Reputation(decoys="known")
    agent.observe(outcome("orange", "juice", "signalled"))
    agent.reset("speaker", named(), 0)
    found = [
        hearing(INSTANCES[id_], ["juice"], "embedding")[0, :, 0]
        for id_ in ("fruit/orange", "color/orange")
    ]
    expected = np.mean(found, axis=0)
    assert agent.posteriors[0] == pytest.approx(expected / expected.sum())


def leaks(agent, secrets):
    """How much what an agent says would tell a keen chameleon, on average."""
    told = []
    for secret in secrets:
        instance = INSTANCES[secret]
        env = agent.spec.env()
        env.reset(seed=0, options={"secret": secret})
        said = agent.act(env.observe("speaker_0"), env.infos["speaker_0"])
        heard = make_listener("embedding").chameleon(instance, said)
        told.append(heard[instance.words.index(instance.secret)])
    return np.mean(told)


def test_more_is_said_to_the_dull_and_less_before_the_sharp():
    sharp, dull = (TEMPERATURES.index(temperature) for temperature in (0.03, 0.3))
    agent = Reputation()
    agent.reset("speaker", FREE, 0)
    said = {}
    for ally in (sharp, dull):
        for chameleon in (sharp, dull):
            agent.posteriors = np.eye(len(TEMPERATURES))[[ally, chameleon]]
            said[ally, chameleon] = leaks(agent, list(INSTANCES)[::90])
    assert said[dull, dull] > said[sharp, dull]
    assert said[dull, dull] > said[dull, sharp] + 0.05


@pytest.mark.parametrize("error", [0.0, 0.8])
def test_errors_make_a_listener_pass_for_dull(error):
    agent = Reputation(decoys="known")
    for secret in list(INSTANCES)[::60]:
        players = (RSA(), Embedding(error=error), Embedding(error=error))
        env = play(players, secret, 1, named())
        reward = env.rewards["speaker_0"]
        agent.observe(
            Outcome("sneak", "speaker", NAMES, env.secret, env.history, env.result, reward)
        )
    agent.reset("speaker", named(), 0)
    for posterior in agent.posteriors:
        assert (posterior[:3].sum() > 0.9) == (error == 0)


def league(speaker, games, seed):
    """Mean SoftScore with listeners of all kinds, drawn anew for each game."""
    pool = {
        "sharp": Embedding(),
        "erring": Embedding(error=0.5),
        "dull": Embedding(temperature=0.3, greedy=False),
        "pragmatic": RSA(),
        "deaf": RandomWord(),
    }
    scores = []
    for number in range(games):
        rng = np.random.default_rng([seed, number])
        secret = str(rng.choice(list(INSTANCES)))
        ally, chameleon = (str(name) for name in rng.choice(list(pool), 2))
        spec = named(ally=ally, chameleon=chameleon)
        players = (deepcopy(speaker), deepcopy(pool[ally]), deepcopy(pool[chameleon]))
        env = play(players, secret, int(rng.integers(2**20)), spec)
        scores.append(env.rewards["speaker_0"])
        speaker.observe(
            Outcome("sneak", "speaker", spec.names, env.secret, env.history, env.result, scores[-1])
        )
    return np.mean(scores)


@pytest.mark.slow
def test_reputation_beats_best_among_listeners_of_all_kinds():
    assert league(Reputation(), 300, 0) > league(Best(), 300, 0)


# people


@pytest.mark.parametrize(
    ("role", "lines", "shown"),
    [
        ("speaker", ["the owls", "one two three four five six", "by night"], "form of the secret"),
        ("ally", ["perhaps", "? night", "night"], ") night"),
        ("chameleon", ["A or B", "A: 0.5, B: 0.6", "owl"], "Answer with one label"),
    ],
)
def test_a_person_plays_every_role(role, lines, shown):
    said = []
    answers = iter(lines)
    person = HumanAgent(ask=lambda prompt: next(answers), show=said.append)
    players = {
        "speaker": person if role == "speaker" else RandomWord(),
        "ally": person if role == "ally" else Embedding(),
        "chameleon": person if role == "chameleon" else Embedding(),
    }
    env, seated = begin(tuple(players.values()), "bird/owl", 1)
    if role != "speaker":
        env.step("night")
    finish(env, seated)
    assert any(shown in line for line in said)
    assert next(answers, None) is None
    assert env.faults == dict.fromkeys(SEATS, 0)
    told = "".join(said)
    assert ('The secret is "owl"' in told) == (role != "chameleon")


# what makes no sense


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Embedding(error=1.5), "error=1.5"),
        (lambda: Embedding(temperature=0.0), "temperature=0.0"),
        (lambda: Embedding(model="magic"), "model='magic'"),
        (lambda: RSA(depth=0), "depth=0"),
        (lambda: RSA(alpha=-1.0), "alpha=-1.0"),
        (lambda: Best(decoys="seen"), "decoys='seen'"),
        (lambda: Best(listener="telepathy"), "telepathy"),
        (lambda: Reputation(memory=0.0), "memory=0.0"),
        (lambda: Best().reset("ally", FREE, 0), "best plays sneak as speaker, not sneak as ally"),
        (lambda: Embedding().reset("speaker", FREE, 0), "not sneak as speaker"),
        (lambda: RandomWord().reset("speaker", game("aidg_search"), 0), "not aidg_search"),
    ],
)
def test_what_makes_no_sense_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_specs():
    for spec in ("best?decoys=known&listener=rsa%3Fdepth%3D2", "rsa?greedy=false&alpha=4"):
        assert make_agent(spec, "sneak").name == spec
    with pytest.raises(SpecError, match="embedding or rsa"):
        make_agent("best?listener=openai:gpt%3Fbase_url%3Dhttp://localhost:1/v1", "sneak")
