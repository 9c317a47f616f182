def net(items):
    return sum(price for _, price in items)


def total(items, rate=0.2):
    return round(net(items) * (1 - rate), 2)


def label(amount):
    return f"{amount:.2f} EUR"
