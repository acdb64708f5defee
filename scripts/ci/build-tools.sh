#!/usr/bin/env bash
# Builds the real components that test/real starts, from their Go modules, into a cache outside the tree:
#   ${STALEWATCH_TOOLS:-$HOME/.cache/stalewatch}/bin/{kube-apiserver,kube-controller-manager,kubectl,etcd,informer-bench,queue-bench,elector,jaeger}
# What is there and was built from the same go.mod, go.sum and sources is left alone. Cold it takes about 12 minutes on 2 cores.
set -euo pipefail

tools="$(cd "$(dirname "${BASH_SOURCE[0]}")/../../tools" && pwd)"
bin="${STALEWATCH_TOOLS:-$HOME/.cache/stalewatch}/bin"
mkdir -p "$bin"
work="$(mktemp -d "$bin/.building.XXXXXX")"
trap 'rm -rf "$work"' EXIT

version="$(sed -n 's|^\tk8s.io/kubernetes \(v[0-9.]*\)$|\1|p' "$tools/real-components/go.mod")"
component=k8s.io/component-base/version
# Without stamps the server calls itself v0.0.0-master, which clients that parse the version do not take.
stamps="-X $component.gitVersion=$version -X $component.gitMajor=$(cut -d. -f1 <<<"${version#v}") -X $component.gitMinor=$(cut -d. -f2 <<<"$version")"
stamps+=" -X $component.gitCommit=unknown -X $component.buildDate=2026-01-01T00:00:00Z -X k8s.io/client-go/pkg/version.gitVersion=$version"

# build MODULE LDFLAGS NAME=PACKAGE...: each program of one module, moved into the cache once all of them are built.
build() {
  local module="$1" ldflags="$2" stamp names
  shift 2
  names=("${@%%=*}")
  stamp="$({ cat "$0"; cd "$tools/$module" && find . -type f | sort | xargs cat; go env GOOS GOARCH GOVERSION; } | sha256sum | cut -c1-64)"
  if [ "$(cat "$bin/.$module" 2>/dev/null)" = "$stamp" ] && (cd "$bin" && ls "${names[@]}" >/dev/null 2>&1); then
    echo "$module: up to date in $bin"
    return
  fi
  for program in "$@"; do
    echo "$module: building ${program%%=*}"
    (cd "$tools/$module" && go build -tags tools -ldflags="-s -w $ldflags" -o "$work/${program%%=*}" "${program#*=}")
  done
  rm -f "$bin/.$module"
  for name in "${names[@]}"; do mv "$work/$name" "$bin/$name"; done
  echo "$stamp" >"$bin/.$module"
}

build real-components "$stamps" \
  etcd=go.etcd.io/etcd/server/v3 \
  kube-apiserver=k8s.io/kubernetes/cmd/kube-apiserver \
  kube-controller-manager=k8s.io/kubernetes/cmd/kube-controller-manager \
  kubectl=k8s.io/kubernetes/cmd/kubectl \
  informer-bench=./cmd/informer-bench \
  queue-bench=./cmd/queue-bench \
  elector=./cmd/elector
build jaeger "" jaeger=github.com/jaegertracing/jaeger/cmd/all-in-one
