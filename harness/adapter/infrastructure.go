package adapter

import (
	"errors"
	"net"
	"net/url"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/GameplanePanel/rehearsal/harness/await"
)

// IsInfrastructure reports whether an error says nothing of the operator or of a game: the API server did not answer, or
// answered that it cannot for now, or a game could not be started for a reason that is not its own. A wait that ran out of
// time is none.
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
