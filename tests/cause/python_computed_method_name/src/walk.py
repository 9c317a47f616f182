class Walker:
    def visit(self, node):
        return getattr(self, "visit_" + node["type"])(node)


class Evaluator(Walker):
    def visit_number(self, node):
        return node["value"]

    def visit_negate(self, node):
        return self.visit(node["value"])
