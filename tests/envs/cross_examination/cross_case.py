"""A case that is small enough to reckon with by hand."""

HEAD = """\
title = "The letter"
charge = "A letter was opened in the office on Sunday."
witness = "Kim"
goal = "Kim did not open it"
"""

TOPICS = """
[[topic]]
id = "place"
name = "the place"
aside = "Sundays are for gardens."

[[topic]]
id = "state"
name = "the state Kim was in"
aside = "Coffee is not what it was."
"""


def fact(id_, topic, bearing, truth, *, part="", known=False):
    lines = [
        f'id = "{id_}"',
        f'topic = "{topic}"',
        f'statement = "Kim: {id_}"',
        f'bearing = "{bearing}"',
        f"truth = {str(truth).lower()}",
        f'open = "What of {id_}?"',
        f'leading = "It was {id_}, wasn\'t it?"',
        f'yes = "it was {id_}"',
        f'no = "it was not {id_}"',
    ]
    if part:
        lines.append(f'part = "{part}"')
    if known:
        lines.append("known = true")
    return "\n".join(["", "[[fact]]", *lines, ""])


def link(kind, first, second, why="Both cannot be."):
    return f'\n[[link]]\nkind = "{kind}"\nfacts = ["{first}", "{second}"]\nwhy = "{why}"\n'


def exhibit(name, proves):
    return f'\n[[exhibit]]\nname = "{name}"\ntext = "it says so"\nproves = "{proves}"\n'


FACTS = (
    fact("home", "place", "helps", False)
    + fact("office", "place", "hurts", True, part="it was somewhere")
    + fact("badge", "place", "hurts", False)
    + fact("tired", "state", "neutral", True, part="it was late")
    + fact("sunday", "state", "neutral", True, known=True)
    + fact("guarded", "state", "helps", True)
)
LINKS = (
    link("excludes", "home", "office", "Nobody is in two places.")
    + link("implies", "badge", "office")
    + link("implies", "guarded", "office")
)
EXHIBITS = exhibit("the log", "office")
SMALL = HEAD + TOPICS + FACTS + LINKS + EXHIBITS
"""Facts 0 to 5: home, office, badge, tired, sunday, guarded."""
