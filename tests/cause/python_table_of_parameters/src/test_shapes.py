import pytest

from shapes import Circle, Square


@pytest.fixture
def unit():
    return Square(1)


def test_unit(unit):
    assert unit.area() == 1


@pytest.mark.parametrize("circle, area", [(Circle(1), 3), (Circle(2), 12)])
def test_circle(circle, area):
    assert circle.area() == area
