import pytest

from shop import money


@pytest.mark.parametrize("amount", [1, 22, 333])
def test_short_amounts_have_no_separator(amount):
    assert "," not in money.shown(amount)


def test_separator_can_be_chosen(monkeypatch):
    monkeypatch.setitem(money.settings, "thousands", " ")
    assert " " in money.shown(123456700)
