from money import Money


def test_times():
    assert Money(2) * 3 == Money(6)


def test_equal():
    assert Money(2) == Money(2)


def test_plus():
    assert Money(2) + Money(3) == Money(5)
