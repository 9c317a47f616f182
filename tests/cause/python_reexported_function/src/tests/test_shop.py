from shop import total
from shop.price import label, net


def test_net():
    assert net([("a", 1.0), ("b", 2.0)]) == 3.0


def test_label():
    assert label(net([("a", 1)])) == "1.00 EUR"


def test_total():
    assert total([("a", 10.0)]) == 12.0
