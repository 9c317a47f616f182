# A target for a Makefile: `make receipt` prints the receipt of a test run, keeps it in receipt.json, and fails
# with the verdict.
#
#     TEST_COMMAND := cargo test --workspace
#     include receipt.mk
TEST_COMMAND ?= pytest -vv
BV ?= bv

.PHONY: receipt
receipt:
	@verdict=0; $(BV) $(TEST_COMMAND) >receipt.json || verdict=$$?; cat receipt.json; exit $$verdict
