//go:build tools

// Package tools pins the trace backend that test/real uses.
package tools

import _ "github.com/jaegertracing/jaeger/cmd/all-in-one"
