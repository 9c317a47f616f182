"""Invoices: what was sold, at which discount, under which tax."""
