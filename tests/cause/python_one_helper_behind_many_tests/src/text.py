def clean(text):
    return text.strip().upper()


def words(text):
    return text.split()
