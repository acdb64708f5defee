// Queue-bench measures client-go's work queue: the time of one add, get and done of a fresh key. It prints one JSON line.
package main

import (
	"encoding/json"
	"os"
	"strconv"
	"time"

	"k8s.io/client-go/util/workqueue"
)

const (
	keys   = 10_000
	rounds = 100
)

func main() {
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
	names := make([]string, keys)
	for i := range names {
		names[i] = "namespace/object-" + strconv.Itoa(i)
	}
	cycle := func() {
		for _, name := range names {
			queue.Add(name)
		}
		for range names {
			key, _ := queue.Get()
			queue.Done(key)
		}
	}
	cycle()
	start := time.Now()
	for range rounds {
		cycle()
	}
	perCycle := float64(time.Since(start).Nanoseconds()) / (keys * rounds)
	_ = json.NewEncoder(os.Stdout).Encode(map[string]float64{"nanosecondsPerCycle": perCycle})
}
