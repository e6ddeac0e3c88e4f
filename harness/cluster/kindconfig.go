package cluster

import (
	"bytes"
	_ "embed"
	"fmt"
	"text/template"
)

//go:embed kind.yaml.tmpl
var kindTemplate string

var kindConfig = template.Must(template.New("kind.yaml").Parse(kindTemplate))

// kindOptions are what the kind configuration depends on.
type kindOptions struct {
	// StaticNetwork: the image brings the pod network, kindnet is left out.
	StaticNetwork bool
	// Patches is the directory in the image that holds patches for kubeadm, if any.
	Patches string
	// CgroupV1: the kubelet has to be told that it is meant.
	CgroupV1 bool
}

func renderKind(o kindOptions) ([]byte, error) {
	var rendered bytes.Buffer
	if err := kindConfig.Execute(&rendered, o); err != nil {
		return nil, fmt.Errorf("kind configuration: %w", err)
	}
	return rendered.Bytes(), nil
}
