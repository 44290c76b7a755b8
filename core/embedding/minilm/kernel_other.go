//go:build !amd64

package minilm

// kernels lists what this processor can run, fastest first.
func kernels() []kernel { return []kernel{scalarKernel()} }
