"""An invoice is its lines and one discount that is spread over them."""

from dataclasses import dataclass

from billing.money import share
from billing.tax import tax


@dataclass(frozen=True)
class Line:
    """One article; the price is in cents."""

    article: str
    quantity: int
    price: int
    kind: str = "standard"

    @property
    def net(self) -> int:
        return self.quantity * self.price


@dataclass(frozen=True)
class Invoice:
    """What one customer owes; the discount is in cents."""

    country: str
    lines: tuple[Line, ...]
    discount: int = 0

    def net_by_line(self) -> list[int]:
        nets = [line.net for line in self.lines]
        off = share(self.discount, nets)
        return [net - part for net, part in zip(nets, off)]

    def tax(self) -> int:
        kinds = [line.kind for line in self.lines]
        return sum(tax(net, self.country, kind) for net, kind in zip(self.net_by_line(), kinds))

    def total(self) -> int:
        return sum(self.net_by_line()) + self.tax()
