from text import clean, words


def test_words():
    assert words("a b") == ["a", "b"]


def test_blanks():
    assert clean(" a ") == "a"


def test_word():
    assert clean("word") == "word"


def test_two():
    value = clean("two words")
    assert value == "two words"


def test_empty():
    assert clean("") == ""
