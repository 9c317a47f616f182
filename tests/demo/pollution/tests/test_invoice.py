from shop import money


def test_lines_add_up():
    assert sum([199, 301]) == 500


def test_total_shows_cents():
    assert money.shown(500) == "5.00"
