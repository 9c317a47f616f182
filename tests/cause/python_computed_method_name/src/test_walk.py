from walk import Evaluator


def number(value):
    return {"type": "number", "value": value}


def test_number():
    assert Evaluator().visit_number(number(3)) == 3


def test_negate():
    assert Evaluator().visit_negate({"type": "negate", "value": number(3)}) == -3
