package adapter

import (
	"errors"
	"net"
	"net/url"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/GameplanePanel/rehearsal/harness/await"
)

// IsInfrastructure reports whether an error is the infrastructure's and says nothing about the operator or a game: the
// API server did not answer or was unavailable, or a game did not start for a reason outside it. A timeout is not one.
func IsInfrastructure(err error) bool {
	if _, ok := errors.AsType[*StartError](err); ok {
		return true
	}
	if _, ok := errors.AsType[*await.TimeoutError](err); ok {
		return false
	}
	if _, ok := errors.AsType[*apierrors.StatusError](err); ok {
		return apierrors.IsServerTimeout(err) || apierrors.IsTimeout(err) || apierrors.IsTooManyRequests(err) ||
			apierrors.IsServiceUnavailable(err) || apierrors.IsInternalError(err)
	}
	_, network := errors.AsType[*net.OpError](err)
	_, request := errors.AsType[*url.Error](err)
	return network || request
}
