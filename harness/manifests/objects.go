// Package manifests applies objects to a cluster and waits until they work. The installers of operators use it.
package manifests

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
)

const (
	// LabelOwner is on everything that Install creates, with the value Owner. Install changes nothing else.
	LabelOwner = "app.kubernetes.io/managed-by"
	// Owner is the value of LabelOwner.
	Owner = "rehearsal"
)

// Load reads the objects of all files that match a pattern, in the order of the files' names. It gives each object the
// label of the owner.
func Load(files fs.FS, pattern string) ([]*unstructured.Unstructured, error) {
	names, err := fs.Glob(files, pattern)
	if err != nil {
		return nil, err
	}
	var objects []*unstructured.Unstructured
	for _, name := range names {
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		decoded, err := decode(content)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		objects = append(objects, decoded...)
	}
	return objects, nil
}

func decode(content []byte) ([]*unstructured.Unstructured, error) {
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(content), 4096)
	var objects []*unstructured.Unstructured
	for {
		object := &unstructured.Unstructured{}
		err := decoder.Decode(object)
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, err
		}
		if len(object.Object) > 0 {
			own(object)
			objects = append(objects, object)
		}
	}
}

func own(object *unstructured.Unstructured) {
	labels := object.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[LabelOwner] = Owner
	object.SetLabels(labels)
}

// Fill sets the image and the arguments of the first container of a Deployment.
func Fill(deployment *unstructured.Unstructured, image string, args []string) error {
	path := []string{"spec", "template", "spec", "containers"}
	containers, _, err := unstructured.NestedSlice(deployment.Object, path...)
	if err != nil {
		return err
	}
	if len(containers) == 0 {
		return errors.New("it has no container")
	}
	first, ok := containers[0].(map[string]any)
	if !ok {
		return errors.New("its first container is not an object")
	}
	values := make([]any, len(args))
	for i, arg := range args {
		values[i] = arg
	}
	first["image"], first["args"] = image, values
	return unstructured.SetNestedSlice(deployment.Object, containers, path...)
}

var byDigest = regexp.MustCompile(`^[^@\s]+@sha256:[a-f0-9]{64}$`)

// CheckImages refuses images, given by what they are for, that are not references by digest.
func CheckImages(images map[string]string) error {
	for name, image := range images {
		if !byDigest.MatchString(image) {
			return fmt.Errorf("%s image %q is not a reference by digest", name, image)
		}
	}
	return nil
}
