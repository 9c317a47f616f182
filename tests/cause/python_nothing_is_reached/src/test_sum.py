def test_sum():
    values = [1, 2]
    assert sum(values) == 4
