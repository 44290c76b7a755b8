package embedding

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"wiki/core/remote"
)

type embeddingRequest struct {
	Model      string   `json:"model"`
	Input      []string `json:"input"`
	Dimensions int      `json:"dimensions,omitempty"`
}

type embeddingAnswer struct {
	Data []struct {
		Index     *int     `json:"index"`
		Embedding []number `json:"embedding"`
	} `json:"data"`
}

// number is a float that may not be null: some services write NaN so, and the decoder would read a zero.
type number float64

func (n *number) UnmarshalJSON(raw []byte) error {
	x, err := strconv.ParseFloat(string(raw), 64)
	*n = number(x)
	return err
}

// request embeds one batch.
func (e *Endpoint) request(ctx context.Context, inputs []string) ([][]float32, error) {
	raw, err := e.service.Post(ctx, embeddingRequest{Model: e.cfg.Model, Input: inputs, Dimensions: e.askedDims})
	if err != nil {
		return nil, asDown(err)
	}
	vectors, err := e.read(raw, len(inputs))
	if err != nil {
		return nil, down(remote.Errorf(remote.BadAnswer, err, "the answer of %s can't be used", providerName))
	}
	return vectors, nil
}

// read takes the vectors out of an answer, by their index: services may answer in any order.
func (e *Endpoint) read(raw []byte, count int) ([][]float32, error) {
	var answer embeddingAnswer
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, errors.New("it is not the JSON of an embeddings answer") // the decoder's text may quote the answer
	}
	if len(answer.Data) != count {
		return nil, fmt.Errorf("%d vectors for %d texts", len(answer.Data), count)
	}
	vectors := make([][]float32, count)
	for place, item := range answer.Data {
		at := place
		if item.Index != nil {
			at = *item.Index
		}
		if at < 0 || at >= count || vectors[at] != nil {
			return nil, fmt.Errorf("index %d is out of range or there twice", at)
		}
		v, err := e.vector(item.Embedding)
		if err != nil {
			return nil, fmt.Errorf("vector %d: %w", at, err)
		}
		vectors[at] = v
	}
	return vectors, nil
}

// vector checks a vector and brings it to length 1.
func (e *Endpoint) vector(numbers []number) ([]float32, error) {
	if len(numbers) != e.model.Dims {
		return nil, fmt.Errorf("it has %d numbers, %s has %d", len(numbers), e.model.ID, e.model.Dims)
	}
	v := make([]float32, len(numbers))
	for i, x := range numbers {
		v[i] = float32(x)
	}
	if !normalise(v) {
		return nil, errors.New("it is zero or not finite")
	}
	return v, nil
}
