// Command informer-bench measures client-go's Job informer for bench/: what the first list costs, then what watch events cost.
//
// It prints one JSON line once the list is in the store, {"phase":"listed",...}, then counts watch events until it reads the line
// "stop", and prints {"phase":"events",...}. A line "mark" starts the count and the CPU clock of the events afresh.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

type listed struct {
	Phase       string  `json:"phase"`
	Objects     int     `json:"objects"`
	CPUSeconds  float64 `json:"cpuSeconds"`
	WallSeconds float64 `json:"wallSeconds"`
	// Growth of the live heap, after a full collection on both sides.
	HeapBytes int64 `json:"heapBytes"`
	RSSBytes  int64 `json:"rssBytes"`
}

type events struct {
	Phase       string  `json:"phase"`
	Count       int64   `json:"count"`
	CPUSeconds  float64 `json:"cpuSeconds"`
	WallSeconds float64 `json:"wallSeconds"`
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "path of the kubeconfig")
	namespace := flag.String("namespace", "", "namespace to watch; all unless given")
	protobuf := flag.Bool("protobuf", true, "ask for protobuf, as the Go controllers do, instead of JSON")
	flag.Parse()
	if err := run(*kubeconfig, *namespace, *protobuf, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "informer-bench:", err)
		os.Exit(1)
	}
}

func run(kubeconfig, namespace string, protobuf bool, in io.Reader, out io.Writer) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return fmt.Errorf("read the kubeconfig: %w", err)
	}
	config.ContentType = "application/json"
	if protobuf {
		config.ContentType = "application/vnd.kubernetes.protobuf"
		config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("make the client: %w", err)
	}

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	informer := factory.Batch().V1().Jobs().Informer()
	var count atomic.Int64
	_, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { count.Add(1) },
		UpdateFunc: func(any, any) { count.Add(1) },
		DeleteFunc: func(any) { count.Add(1) },
	})
	if err != nil {
		return fmt.Errorf("add the handler: %w", err)
	}

	print := json.NewEncoder(out)
	heapBefore := liveHeap()
	cpu, wall := cpuSeconds(), time.Now()
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return errors.New("the informer did not sync")
	}
	result := listed{
		Phase:       "listed",
		Objects:     len(informer.GetStore().ListKeys()),
		CPUSeconds:  cpuSeconds() - cpu,
		WallSeconds: time.Since(wall).Seconds(),
	}
	for count.Load() < int64(result.Objects) {
		time.Sleep(10 * time.Millisecond)
	}
	result.HeapBytes = liveHeap() - heapBefore
	result.RSSBytes = residentBytes()
	if err := print.Encode(result); err != nil {
		return err
	}

	count.Store(0)
	cpu, wall = cpuSeconds(), time.Now()
	for lines := bufio.NewScanner(in); lines.Scan(); {
		switch lines.Text() {
		case "mark":
			count.Store(0)
			cpu, wall = cpuSeconds(), time.Now()
		case "stop":
			return print.Encode(events{"events", count.Load(), cpuSeconds() - cpu, time.Since(wall).Seconds()})
		}
	}
	return errors.New("standard input ended before the line \"stop\"")
}

func liveHeap() int64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

func cpuSeconds() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return seconds(usage.Utime) + seconds(usage.Stime)
}

// residentBytes reads VmRSS; 0 where there is no /proc.
func residentBytes() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.SplitSeq(string(status), "\n") {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kilobytes, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			if err == nil {
				return kilobytes * 1024
			}
		}
	}
	return 0
}
