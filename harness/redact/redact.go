// Package redact takes the values of Secrets out of what programs print.
package redact

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

const (
	redacted = "[redacted]"
	// MinLength is the least length, in bytes, of a value to redact: a shorter one occurs by chance in any text.
	MinLength = 6
)

// Messages returns every text of a status that may quote a program's output.
func Messages(status *corev1.PodStatus) []*string {
	messages := []*string{&status.Message}
	for i := range status.Conditions {
		messages = append(messages, &status.Conditions[i].Message)
	}
	for _, container := range slices.Concat(status.InitContainerStatuses, status.ContainerStatuses) {
		for _, state := range []corev1.ContainerState{container.State, container.LastTerminationState} {
			if state.Waiting != nil {
				messages = append(messages, &state.Waiting.Message)
			}
			if state.Terminated != nil {
				messages = append(messages, &state.Terminated.Message)
			}
		}
	}
	return messages
}

// Text replaces values in a text. At the ends of the text it also replaces a part of a value that a size limit cut
// off.
func Text(text string, values []string) string {
	// Longest first: once a shorter value inside a longer one is replaced, the longer one no longer matches.
	slices.SortFunc(values, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	for _, value := range values {
		text = strings.ReplaceAll(text, value, redacted)
	}
	for _, value := range values {
		text = redactStart(redactEnd(text, value), value)
	}
	return text
}

func redactStart(text, value string) string {
	for n := min(len(value)-1, len(text)); n >= MinLength; n-- {
		if rest, found := strings.CutPrefix(text, value[len(value)-n:]); found {
			return redacted + rest
		}
	}
	return text
}

func redactEnd(text, value string) string {
	body := strings.TrimSuffix(text, "…") // the operator's mark for a cut
	for n := min(len(value)-1, len(body)); n >= MinLength; n-- {
		if rest, found := strings.CutSuffix(body, value[:n]); found {
			return rest + redacted
		}
	}
	return text
}
