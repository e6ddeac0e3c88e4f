package strictjson

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"time"
)

// Encode returns a document in one form: compact, with the members in the order of the Go type, without HTML escapes. No
// reader depends on the form, because a signature covers the bytes as they are.
func Encode(document any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(document); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// normalize changes a value so that it reads back exactly as it is written: no nil lists, times in UTC without a monotonic
// reading, and strings of valid UTF-8. v must be settable. normalize copies memory that v shares with other values.
func normalize(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		if t, ok := v.Interface().(time.Time); ok {
			v.Set(reflect.ValueOf(t.UTC().Round(0)))
			return
		}
		for i := range v.NumField() {
			normalize(v.Field(i))
		}
	case reflect.Slice:
		list := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(list, v)
		for i := range list.Len() {
			normalize(list.Index(i))
		}
		v.Set(list)
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		target := reflect.New(v.Type().Elem())
		target.Elem().Set(v.Elem())
		normalize(target.Elem())
		v.Set(target)
	case reflect.String:
		v.SetString(strings.ToValidUTF8(v.String(), "\uFFFD"))
	}
}

// Normalized returns a copy that reads back exactly as it is written.
func Normalized[T any](document T) T {
	normalize(reflect.ValueOf(&document).Elem())
	return document
}
