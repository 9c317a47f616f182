from shop import money


def test_euro_has_cents():
    assert money.DIGITS["EUR"] == 2


def test_yen_has_none():
    money.settings["currency"] = "JPY"
    assert money.shown(1200) == "1,200"


def test_known_currencies():
    assert sorted(money.DIGITS) == ["EUR", "JPY"]
