// Cron-table prints when the cron library of kube-controller-manager fires, as the fixture of the schedule tests:
//
//	cd tools/real-components && go run ./cmd/cron-table > ../../test/jobs/cronjobs/cron-table.jsonl
package main

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"strings"
	"time"
	_ "time/tzdata"

	"github.com/robfig/cron/v3"
)

const fires = 4

// One line in one time zone. Times are UTC, to the minute; a line that is not accepted has Bad, one that never fires no Fires.
type row struct {
	Line  string   `json:"line"`
	Zone  string   `json:"zone"`
	After string   `json:"after"`
	Fires []string `json:"fires,omitempty"`
	Bad   bool     `json:"bad,omitempty"`
}

var lines = []string{
	"* * * * *", "*/5 * * * *", "0 * * * *", "30 1 * * *", "30 2 * * *", "0 2 * * *", "15,45 1-3 * * *", "0 0 * * *", "0 3 * * 0",
	"0 0 1 * *", "0 0 31 * *", "0 0 29 2 *", "0 12 1 1 *", "30 6-16/4 * * 1-5", "0 0 13 * 5", "0 0 */2 * 1", "0 0 1,* * 1", "0 0 ? * 1",
	"0 0 1 * ?", "5/15 * * * *", "*/70 * * * *", "0 9 * jan,JUL Mon-FRI", "0 0 1-7 * 1", "+5 * * * *", "*-3 * * * *", "1, * * * *",
	"@hourly", "@daily", "@midnight", "@weekly", "@monthly", "@yearly", "@annually", "@every 90m", "@every 1h30m10s", "@every 500ms",
	"TZ=Asia/Tokyo 0 9 * * *", "CRON_TZ=UTC 30 1 * * *", "  0   4  * * * ",
}

var badLines = []string{
	"", " ", "* * * *", "0 0 1 1 * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * 32 * *", "* * * 13 *", "* * * * 7", "* * * * sun-sat-1",
	"5-1 * * * *", "*/0 * * * *", "1/2/3 * * * *", "-1 * * * *", "a * * * *", "* * L * *", "* * 15W * *", "* * * * 1#2", "* * * foo *",
	"@reboot", "@every", "@every x", "@Hourly", "H * * * *", "0x5 * * * *", "1.5 * * * *", "TZ=Nowhere/Land 0 0 * * *", "* * * * *\x00",
}

// Clocks go forward and back; at midnight, on the southern half, never.
var moments = []struct{ zone, after string }{
	{"UTC", "2026-01-30T23:58"},
	{"Europe/Berlin", "2026-03-28T21:00"}, {"Europe/Berlin", "2026-10-24T21:00"},
	{"America/New_York", "2026-03-08T04:00"}, {"America/New_York", "2026-11-01T03:00"},
	{"Africa/Cairo", "2026-04-23T20:00"}, {"America/Santiago", "2026-09-06T02:00"},
	{"Australia/Sydney", "2026-04-04T12:00"}, {"Asia/Kolkata", "2026-06-30T18:00"}, {"Pacific/Apia", "2026-12-31T09:00"},
}

func main() {
	random := rand.New(rand.NewSource(1))
	rows := []row{}
	for _, line := range lines {
		for _, at := range moments {
			rows = append(rows, fired(line, at.zone, at.after))
		}
	}
	for range 150 {
		at := moments[random.Intn(len(moments))]
		rows = append(rows, fired(randomLine(random), at.zone, at.after))
	}
	for _, line := range append(badLines, "0 0 30 2 *", "59 23 31 2,4 *", ", * * * *") {
		rows = append(rows, fired(line, "UTC", "2026-01-01T00:00"))
	}
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for _, r := range rows {
		_ = out.Encode(r)
	}
}

// As the CronJob controller asks: the zone in front of the line, unless the line has one of its own.
func fired(line, zone, after string) row {
	r := row{Line: line, Zone: zone, After: after}
	text := line
	if !strings.Contains(line, "TZ") {
		text = "TZ=" + zone + " " + line
	}
	schedule, err := parse(text)
	if err != nil {
		r.Bad = true
		return r
	}
	t, err := time.Parse("2006-01-02T15:04", after)
	if err != nil {
		panic(err)
	}
	for range fires {
		t = schedule.Next(t)
		if t.IsZero() {
			break
		}
		r.Fires = append(r.Fires, strings.TrimSuffix(t.UTC().Format("2006-01-02T15:04:05"), ":00"))
	}
	return r
}

// The library panics on some lines; Kubernetes takes that for an error too.
func parse(line string) (schedule cron.Schedule, err error) {
	defer func() {
		if caught := recover(); caught != nil {
			err = fmt.Errorf("panic: %v", caught)
		}
	}()
	return cron.ParseStandard(line)
}

func randomLine(random *rand.Rand) string {
	field := func(low, high int) string {
		one := func() int { return low + random.Intn(high-low+1) }
		switch random.Intn(7) {
		case 0, 1, 2:
			return "*"
		case 3:
			return fmt.Sprint(one())
		case 4:
			a, b := one(), one()
			return fmt.Sprintf("%d-%d", min(a, b), max(a, b))
		case 5:
			return fmt.Sprintf("*/%d", 1+random.Intn(high))
		default:
			return fmt.Sprintf("%d,%d", one(), one())
		}
	}
	return strings.Join([]string{field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 6)}, " ")
}
