// SPDX-License-Identifier: LGPL-3.0-or-later

// Package vectors judges bounds in doubles by the doubles of a result: a bound is never called sound, or unsound, that is not.
package vectors

import (
	"encoding/json"
	"math"
	"os"
	"strconv"
)

// Test is a question, as it stands in the file, and what is known of its answer.
type Test struct {
	TcID     int             `json:"tcId"`
	Question json.RawMessage `json:"question"`
	Bound    string          `json:"bound"`
	Result   struct {
		Lo       string `json:"lo_hex"`
		Hi       string `json:"hi_hex"`
		Infinite bool   `json:"infinite"`
		Side     string `json:"side"`
	} `json:"result"`
}

// Load reads the tests of a file.
func Load(path string) (tests []Test, err error) {
	var file struct{ TestGroups []struct{ Tests []Test } }
	content, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(content, &file)
	}
	for _, group := range file.TestGroups {
		tests = append(tests, group.Tests...)
	}
	return tests, err
}

// Judge says "sound", "unsound" or "undecided" of a bound from the side "upper" or "lower".
func (t Test) Judge(side string, x float64) (string, error) {
	lo, hi := math.Inf(1), math.Inf(1)
	if !t.Result.Infinite {
		var err error
		if lo, err = strconv.ParseFloat(t.Result.Lo, 64); err != nil {
			return "", err
		}
		if hi, err = strconv.ParseFloat(t.Result.Hi, 64); err != nil {
			return "", err
		}
	}
	bound := t.Bound
	if t.Result.Side == "exact" {
		bound = ""
	}
	if side == "lower" {
		x, lo, hi = -x, -hi, -lo
	}
	switch {
	case math.IsNaN(x):
		return "unsound", nil
	case x >= hi && (bound == "" || bound == side || math.IsInf(x, 1)):
		return "sound", nil
	case x < lo && (bound != side || math.IsInf(x, -1)):
		return "unsound", nil
	}
	return "undecided", nil
}
