"""Norms of the published kind become a file that the game plays."""

import csv

import pytest

from unspoken.envs.sneak.instances import SneakDataError, instances, load
from unspoken.envs.sneak.norms import import_norms

BIRDS = [
    *("eagle", "robin", "sparrow", "crow", "owl", "parrot", "penguin"),
    *("duck", "swan", "hawk", "raven", "finch", "wren", "stork"),
]
VIRTUES = "honesty kindness patience loyalty courage generosity humility compassion charity wisdom"
HEADER = ["Category", "Exemplar", "Production Frequency", "Type"]


def rows() -> list[list[str]]:
    table = [["Birds", word, str(100 - 5 * i), "Concrete"] for i, word in enumerate(BIRDS)]
    return table + [["Virtues", word, "9", "abstract"] for word in VIRTUES.split()]


@pytest.fixture
def norms(tmp_path):
    def make(table, header=HEADER, delimiter=",", encoding="utf-8"):
        path = tmp_path / "norms.csv"
        with path.open("w", newline="", encoding=encoding) as file:
            csv.writer(file, delimiter=delimiter).writerows([header, *table])
        return path, tmp_path / "mine.toml"

    return make


def test_the_twelve_most_frequent_members_are_the_words(norms) -> None:
    path, out = norms(sorted(rows(), key=lambda row: row[1]))
    birds, virtues = sorted(import_norms(path, out).categories, key=lambda category: category.name)
    assert birds.words == tuple(BIRDS[:12])
    assert set(virtues.words) == set(VIRTUES.split())
    assert (birds.kind, virtues.kind) == ("concrete", "abstract")
    assert len(birds.decoys) == len(virtues.decoys) == 5
    assert {"wing", "feather"} <= set(birds.decoys)


def test_the_file_that_is_written_can_be_played(norms) -> None:
    path, out = norms([*rows(), ["Birds", 'say "caw" – ü', "1000", ""]])
    made, left_out = import_norms(path, out)
    assert left_out == ()
    assert load(out) == made
    assert instances(made)[0].id == 'Birds/say "caw" – ü'
    assert len(instances(made)) == 22


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize(
    "header",
    [["CATEGORY", "response", "n", "kind"], ["category_name", "member", "Freq.", "domain"]],
)
def test_separators_and_names_of_columns_may_differ(norms, header, delimiter, encoding) -> None:
    path, out = norms(rows()[:10], header, delimiter, encoding)
    assert import_norms(path, out).categories[0].words == tuple(BIRDS[:10])


def test_rows_of_the_same_member_add_up(norms) -> None:
    path, out = norms([*rows(), ["birds", "Stork", "70", "concrete"], [], ["", "", "", ""]])
    birds = import_norms(path, out).categories[0]
    assert birds.words.index("stork") == 0  # 35 + 70 beside the eagle's 100
    assert birds.name == "Birds"


def test_without_a_kind_wordnet_tells(norms) -> None:
    path, out = norms([row[:3] for row in rows()], HEADER[:3])
    assert [category.kind for category in import_norms(path, out).categories] == [
        "concrete",
        "abstract",
    ]


def test_a_category_that_cannot_be_played_is_left_out(norms) -> None:
    blorp = [["Blorp", f"blorp{i}", "3", ""] for i in range(10)]
    path, out = norms([*rows(), *blorp, ["Fish", "cod", "3", ""], ["Fish", "fish", "3", ""]])
    made, left_out = import_norms(path, out)
    assert [category.name for category in load(out)] == ["Birds", "Virtues"]
    assert load(out) == made
    assert left_out == (
        "category 'Blorp': its words share too little in WordNet",
        "category 'Fish' has 1 different members; 10 are needed",
    )


def test_a_member_that_names_its_category_is_no_word(norms) -> None:
    path, out = norms([*rows(), ["Birds", "bird", "1000", ""]])
    assert import_norms(path, out).categories[0].words == tuple(BIRDS[:12])


@pytest.mark.parametrize(
    ("header", "table", "message"),
    [
        (["Category", "Exemplar", "Rank"], rows(), r"no column for frequency in the header"),
        (["a", "b", "c"], rows(), "no column for category, member, frequency"),
        (HEADER, rows()[:9], "category 'Birds' has 9 different members; 10 are needed"),
        (HEADER, [["Birds", "owl", "many", ""]], "line 2: frequency is 'many', not a count"),
        (HEADER, [["Birds", "owl", "-1", ""]], "frequency is '-1', not a count"),
        (HEADER, [["Birds", "owl", "nan", ""]], "frequency is 'nan', not a count"),
        (HEADER, [["Birds", "owl"]], "frequency is '', not a count"),
        (HEADER, [["Birds", "", "3", ""]], "line 2: needs a category and a member"),
        (HEADER, [["Birds", "owl", "3", "solid"]], "kind of 'Birds' is 'solid'; write concrete"),
        (HEADER, [*rows(), ["Birds", "ibis", "1", "abstract"]], "line 26: kind of 'Birds' is 'ab"),
        (HEADER, [], "has no row under its header"),
        (HEADER, [["Blorp", f"blorp{i}", "3", ""] for i in range(10)], "'Blorp': its words share"),
    ],
)
def test_a_table_that_cannot_be_used_is_told_why(norms, header, table, message) -> None:
    path, out = norms(table, header)
    with pytest.raises(SneakDataError, match=message):
        import_norms(path, out)
    assert not out.exists()


def test_files_that_cannot_be_read_or_written_are_named(norms, tmp_path) -> None:
    path, out = norms(rows())
    with pytest.raises(SneakDataError, match=r"none\.csv cannot be read: No such file"):
        import_norms(tmp_path / "none.csv", out)
    with pytest.raises(SneakDataError, match="cannot be written"):
        import_norms(path, tmp_path)
    path.write_bytes(b"caf\xe9")
    with pytest.raises(SneakDataError, match="is not UTF-8"):
        import_norms(path, out)
    path.write_text("")
    with pytest.raises(SneakDataError, match="no column for category, member, frequency"):
        import_norms(path, out)
