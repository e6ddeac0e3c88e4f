// Package crdschema answers questions about the schema of a CRD that a cluster serves: which fields an operator knows.
package crdschema

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// apiVersion is the version of Gameplane's API.
const apiVersion = "v1alpha1"

// Serves reports whether a definition's served schema has a field.
func Serves(definition *unstructured.Unstructured, field string) bool {
	return fieldSchema(definition, field) != nil
}

// Offers reports whether an enumerated field allows a value.
func Offers(definition *unstructured.Unstructured, field, value string) bool {
	values, _, err := unstructured.NestedStringSlice(fieldSchema(definition, field), "enum")
	return err == nil && slices.Contains(values, value)
}

func fieldSchema(definition *unstructured.Unstructured, field string) map[string]any {
	versions, _, err := unstructured.NestedSlice(definition.Object, "spec", "versions")
	if err != nil {
		return nil
	}
	for _, version := range versions {
		served, ok := version.(map[string]any)
		if !ok || served["name"] != apiVersion {
			continue
		}
		path := append([]string{"schema", "openAPIV3Schema"}, Properties(field)...)
		schema, _, err := unstructured.NestedMap(served, path...)
		if err != nil {
			return nil
		}
		return schema
	}
	return nil
}

// Properties turns a field's path, such as "spec.image", into the path to its schema.
func Properties(field string) []string {
	var way []string
	for _, name := range strings.Split(field, ".") {
		way = append(way, "properties", name)
	}
	return way
}

// Requires reports whether a definition's served schema requires a member of a field.
func Requires(definition *unstructured.Unstructured, field, member string) bool {
	required, _, err := unstructured.NestedStringSlice(fieldSchema(definition, field), "required")
	return err == nil && slices.Contains(required, member)
}
