"""A shop with one setting too many: it belongs to the whole process."""
