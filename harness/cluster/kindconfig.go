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

// kindOptions are the inputs of the kind configuration.
type kindOptions struct {
	// StaticNetwork: the image has its own pod network; kindnet is left out.
	StaticNetwork bool
	// Patches is the image's directory of kubeadm patches, if any.
	Patches string
	// CgroupV1: the kubelet must be told to accept cgroup v1.
	CgroupV1 bool
}

func renderKind(o kindOptions) ([]byte, error) {
	var rendered bytes.Buffer
	if err := kindConfig.Execute(&rendered, o); err != nil {
		return nil, fmt.Errorf("kind configuration: %w", err)
	}
	return rendered.Bytes(), nil
}
