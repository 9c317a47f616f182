"""Value-added tax by country and kind of goods."""

from decimal import Decimal

from billing.money import cents

RATES = {
    ("AT", "standard"): Decimal("0.20"),
    ("AT", "books"): Decimal("0.10"),
    ("DE", "standard"): Decimal("0.19"),
    ("DE", "books"): Decimal("0.07"),
    ("FR", "standard"): Decimal("0.20"),
    ("FR", "books"): Decimal("0.055"),
    ("IE", "standard"): Decimal("0.23"),
    ("IE", "books"): Decimal("0"),
}


def rate(country: str, kind: str) -> Decimal:
    """The share of the net amount that is due."""
    return RATES[country, kind]


def tax(net: int, country: str, kind: str) -> int:
    """The tax on a net amount, both in cents."""
    return cents(Decimal(net) / 100 * rate(country, kind))
