package clock

import "testing"

func TestPad(t *testing.T) {
	if got := Pad(3); got != "03" {
		t.Errorf("Pad(3) = %q", got)
	}
}

func TestFormat(t *testing.T) {
	got := Format(3, 15)
	if got != "03:15" {
		t.Errorf("Format(3, 15) = %q, want %q", got, "03:15")
	}
}
