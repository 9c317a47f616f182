"""Amounts in minor units, shown in the shop's currency."""

DIGITS = {"EUR": 2, "JPY": 0}
settings = {"currency": "EUR", "thousands": ","}


def shown(minor: int) -> str:
    digits = DIGITS[settings["currency"]]
    whole, rest = divmod(minor, 10**digits)
    fraction = f".{rest:0{digits}d}" if digits else ""
    return f"{whole:,}".replace(",", settings["thousands"]) + fraction
