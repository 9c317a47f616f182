class Money:
    def __init__(self, cents):
        self.cents = cents

    def __eq__(self, other):
        return self.cents == other.cents

    def __add__(self, other):
        return Money(self.cents - other.cents)

    def __mul__(self, factor):
        return Money(self.cents * factor)
