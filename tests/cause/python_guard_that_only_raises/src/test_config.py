from config import limit


def test_limit():
    assert limit("7") == 7
