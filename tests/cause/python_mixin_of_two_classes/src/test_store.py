import unittest

from store import Latest, Memory


class Shared:
    def test_put_again(self):
        store = self.make()
        store.put("a", 1)
        store.put("a", 2)
        self.assertEqual(store.get("a"), 2)


class MemoryTest(Shared, unittest.TestCase):
    def make(self):
        return Memory()


class LatestTest(Shared, unittest.TestCase):
    def make(self):
        return Latest()
