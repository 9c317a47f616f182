from decimal import Decimal

import pytest

from billing.money import cents, share, show


@pytest.mark.parametrize("amount", range(-120, 121, 5))
def test_whole_cents_stay_as_they_are(amount):
    assert cents(Decimal(amount) / 100) == amount


@pytest.mark.parametrize(
    ("amount", "expected"),
    [("1.004", 100), ("1.005", 101), ("1.006", 101), ("1.015", 102), ("0.0049", 0), ("2.675", 268)],
)
def test_half_a_cent_counts_as_one(amount, expected):
    assert cents(Decimal(amount)) == expected


@pytest.mark.parametrize(
    ("amount", "expected"), [(0, "0.00"), (5, "0.05"), (-5, "-0.05"), (12345, "123.45")]
)
def test_amounts_are_shown_with_two_decimals(amount, expected):
    assert show(amount) == expected


@pytest.mark.parametrize("amount", range(0, 1000, 37))
@pytest.mark.parametrize("weights", [[1], [1, 1, 1], [5, 3, 2], [999, 1]], ids=str)
def test_no_cent_is_lost(amount, weights):
    assert sum(share(amount, weights)) == amount
