// Prints the verdict of kstatus, by which Flux, Argo-like tools and kpt judge objects, on each object of standard
// input: one JSON object a line in, one {"status", "message"} a line out. Only for e2e/operator/kstatus_test.py.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
)

const longestLine = 4 << 20

func judge(line []byte) map[string]string {
	var object unstructured.Unstructured
	if err := object.UnmarshalJSON(line); err != nil {
		return map[string]string{"status": "Unreadable", "message": err.Error()}
	}
	result, err := status.Compute(&object)
	if err != nil {
		return map[string]string{"status": "Unreadable", "message": err.Error()}
	}
	return map[string]string{"status": result.Status.String(), "message": result.Message}
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, longestLine)
	for lines.Scan() {
		answer, _ := json.Marshal(judge(lines.Bytes()))
		fmt.Println(string(answer))
	}
	if err := lines.Err(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
