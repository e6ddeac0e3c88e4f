module github.com/GameplanePanel/rehearsal/receipts/interop

go 1.26.0

require (
	github.com/GameplanePanel/rehearsal v0.0.0
	github.com/in-toto/attestation v1.2.0
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.2
	github.com/secure-systems-lab/go-securesystemslib v0.11.1
	google.golang.org/protobuf v1.36.12-0.20260120151049-f2248ac996af
)

require (
	golang.org/x/crypto v0.57.0 // indirect
	golang.org/x/sys v0.48.0 // indirect
	golang.org/x/text v0.42.0 // indirect
)

replace github.com/GameplanePanel/rehearsal => ../..
