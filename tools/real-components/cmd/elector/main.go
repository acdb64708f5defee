// Elector stands for election as client-go does it and, while it leads, writes its identity into a ConfigMap. SIGTERM makes it stop
// writing, give the lease back and end.
package main

import (
	"context"
	"flag"
	"fmt"
	"os/signal"
	"sync"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "file")
	namespace := flag.String("namespace", "default", "of the lease and the ConfigMap")
	name := flag.String("name", "", "of the lease and the ConfigMap")
	identity := flag.String("identity", "", "of this candidate")
	lease := flag.Duration("lease-duration", 15*time.Second, "")
	deadline := flag.Duration("renew-deadline", 10*time.Second, "")
	retry := flag.Duration("retry-period", 2*time.Second, "")
	flag.Parse()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		panic(err)
	}
	client := kubernetes.NewForConfigOrDie(config)
	stopped, _ := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	standing, end := context.WithCancel(context.Background())
	var writing sync.Mutex
	go func() {
		<-stopped.Done()
		writing.Lock() // for good: no write may follow the release
		end()
	}()
	leaderelection.RunOrDie(standing, leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: *namespace, Name: *name},
			Client:     client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: *identity},
		},
		LeaseDuration: *lease, RenewDeadline: *deadline, RetryPeriod: *retry, ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(leading context.Context) {
				for ; leading.Err() == nil; time.Sleep(200 * time.Millisecond) {
					writing.Lock()
					patch := fmt.Appendf(nil, `{"data":{"by":%q,"at":"%d"}}`, *identity, time.Now().UnixMilli())
					_, err := client.CoreV1().ConfigMaps(*namespace).Patch(leading, *name, types.MergePatchType, patch, metav1.PatchOptions{})
					writing.Unlock()
					fmt.Println("wrote", err)
				}
			},
			OnStoppedLeading: func() { fmt.Println("stopped leading") },
		},
	})
}
