"""Amounts in whole cents; nothing here knows of floats."""

from decimal import ROUND_HALF_EVEN, Decimal


def cents(amount: Decimal) -> int:
    """Rounds to whole cents; half a cent counts as one."""
    return int((amount * 100).quantize(Decimal(1), rounding=ROUND_HALF_EVEN))


def show(amount: int) -> str:
    """An amount in cents as people write it."""
    sign = "-" if amount < 0 else ""
    return f"{sign}{abs(amount) // 100}.{abs(amount) % 100:02}"


def share(amount: int, weights: list[int]) -> list[int]:
    """Splits an amount by weight so that no cent is lost: the largest remainders get the rest."""
    total = sum(weights)
    shares = [amount * weight // total for weight in weights]
    by_remainder = sorted(range(len(weights)), key=lambda i: -(amount * weights[i] % total))
    for i in by_remainder[: amount - sum(shares)]:
        shares[i] += 1
    return shares
