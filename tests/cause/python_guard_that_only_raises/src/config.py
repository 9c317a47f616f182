def fail(message):
    raise ValueError(message)


def limit(text):
    value = int(text)
    if value < 10:
        fail(f"too large: {value}")
    return value
