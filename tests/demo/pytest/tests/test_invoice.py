import pytest

from billing.invoice import Invoice, Line
from billing.tax import RATES, rate, tax

BOOK = Line("Flatland", quantity=2, price=1250, kind="books")
LAMP = Line("desk lamp", quantity=1, price=4999)
SAMPLE = Line("paper sample", quantity=3, price=0)


@pytest.mark.parametrize(("country", "kind"), RATES)
def test_a_rate_is_a_share(country, kind):
    assert 0 <= rate(country, kind) < 1


@pytest.mark.parametrize(("country", "kind"), RATES)
def test_nothing_is_not_taxed(country, kind):
    assert tax(0, country, kind) == 0


@pytest.mark.parametrize(
    ("country", "expected"), [("AT", 1250), ("DE", 1125), ("FR", 1138), ("IE", 1150)]
)
def test_lines_are_taxed_by_their_kind(country, expected):
    assert Invoice(country, (BOOK, LAMP)).tax() == expected


@pytest.mark.parametrize("discount", range(0, 7500, 500))
def test_a_discount_reduces_the_net_amount(discount):
    invoice = Invoice("DE", (BOOK, LAMP), discount)
    assert sum(invoice.net_by_line()) == BOOK.net + LAMP.net - discount


def test_a_free_sample_beside_paid_goods_costs_nothing():
    assert Invoice("DE", (LAMP, SAMPLE)).total() == Invoice("DE", (LAMP,)).total()


def test_an_invoice_of_free_samples_is_zero():
    assert Invoice("DE", (SAMPLE, SAMPLE)).total() == 0
