package clock

import "fmt"

func Pad(n int) string {
	return fmt.Sprintf("%02d", n)
}

func Format(hours, minutes int) string {
	return Pad(hours) + ":" + Pad(hours)
}
