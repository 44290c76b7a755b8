package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"wiki/core/embedding/minilm"
)

// weight is one entry of a TensorFlow.js weights manifest.
type weight struct {
	Name         string
	Shape        []int
	Quantization *struct {
		Dtype      string
		Min, Scale float64
	}
}

// embeddingNames are the tensors outside the layers, by the end of their name in the graph.
var embeddingNames = map[string]string{
	"unknown":   "emb.word",
	"unknown_0": "emb.pos",
	"unknown_1": "emb.type",
	"embeddings/LayerNorm/batchnorm/mul/ReadVariableOp": "emb.ln.g",
	"embeddings/LayerNorm/batchnorm/ReadVariableOp":     "emb.ln.b",
}

// layerNames are the tensors of a layer, by what follows the layer's number.
var layerNames = map[string]string{
	"attention/self/query/Tensordot/ReadVariableOp":           "q.w",
	"attention/self/query/BiasAdd/ReadVariableOp":             "q.b",
	"attention/self/key/Tensordot/ReadVariableOp":             "k.w",
	"attention/self/key/BiasAdd/ReadVariableOp":               "k.b",
	"attention/self/value/Tensordot/ReadVariableOp":           "v.w",
	"attention/self/value/BiasAdd/ReadVariableOp":             "v.b",
	"attention/output/dense/Tensordot/ReadVariableOp":         "ao.w",
	"attention/output/dense/BiasAdd/ReadVariableOp":           "ao.b",
	"attention/output/LayerNorm/batchnorm/mul/ReadVariableOp": "ln1.g",
	"attention/output/LayerNorm/batchnorm/ReadVariableOp":     "ln1.b",
	"intermediate/dense/Tensordot/ReadVariableOp":             "ff1.w",
	"intermediate/dense/BiasAdd/ReadVariableOp":               "ff1.b",
	"output/dense/Tensordot/ReadVariableOp":                   "ff2.w",
	"output/dense/BiasAdd/ReadVariableOp":                     "ff2.b",
	"output/LayerNorm/batchnorm/mul/ReadVariableOp":           "ln2.g",
	"output/LayerNorm/batchnorm/ReadVariableOp":               "ln2.b",
}

var layerPattern = regexp.MustCompile(`layer_\._(\d)/(.*)$`)

// ourName gives the name of a tensor in our file, empty when the network doesn't need it.
func ourName(name string) string {
	if g := layerPattern.FindStringSubmatch(name); g != nil {
		if ours, ok := layerNames[g[2]]; ok {
			return "l" + g[1] + "." + ours
		}
		return ""
	}
	if ours, ok := embeddingNames[name]; ok {
		return ours
	}
	if i := strings.Index(name, "embeddings/LayerNorm/"); i >= 0 {
		return embeddingNames[name[i:]]
	}
	return ""
}

// floatBytes is the size of a weight that isn't quantised.
const floatBytes = 4

// readTensors cuts the weights file as its manifest says and keeps what the network needs.
func readTensors(dir string) ([]minilm.Tensor, error) {
	var model struct {
		WeightsManifest []struct {
			Paths   []string
			Weights []weight
		}
	}
	if err := readJSON(filepath.Join(dir, "model.json"), &model); err != nil {
		return nil, err
	}
	if len(model.WeightsManifest) != 1 || len(model.WeightsManifest[0].Paths) != 1 {
		return nil, fmt.Errorf("%s: one group of weights in one file is expected", dir)
	}
	raw, err := os.ReadFile(filepath.Join(dir, model.WeightsManifest[0].Paths[0]))
	if err != nil {
		return nil, err
	}
	var tensors []minilm.Tensor
	for _, w := range model.WeightsManifest[0].Weights {
		size := floatBytes
		if w.Quantization != nil {
			size = 1
		}
		for _, n := range w.Shape {
			size *= n
		}
		if size > len(raw) {
			return nil, fmt.Errorf("the weights file ends inside %s", w.Name)
		}
		if name := ourName(w.Name); name != "" {
			if w.Quantization == nil || w.Quantization.Dtype != "uint8" {
				return nil, fmt.Errorf("%s is not quantised to uint8", w.Name)
			}
			tensors = append(tensors, minilm.Tensor{
				Name: name, Shape: w.Shape, Data: raw[:size],
				Min: float32(w.Quantization.Min), Scale: float32(w.Quantization.Scale),
			})
		}
		raw = raw[size:]
	}
	if len(raw) != 0 {
		return nil, fmt.Errorf("the weights file has %d bytes too many", len(raw))
	}
	return tensors, nil
}
