package gameplane

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/GameplanePanel/rehearsal/harness/manifests"
)

// The operator signs a certificate for each agent with the CA, and shows the agents its client certificate.
const (
	caSecret      = "gameplane-agent-ca"
	caCertificate = "ca.crt"
	caKey         = "ca.key"
	clientSecret  = "gameplane-agent-client"
)

const (
	keyBits  = 2048
	validity = 365 * 24 * time.Hour
	// skew is how far the clock of a node may be behind.
	skew = time.Hour
)

// secrets makes a new CA and a client certificate that it signs, as Secrets.
func secrets(now time.Time) ([]*unstructured.Unstructured, error) {
	ca, err := newCA(now)
	if err != nil {
		return nil, fmt.Errorf("CA: %w", err)
	}
	client, err := ca.issueClient(now)
	if err != nil {
		return nil, fmt.Errorf("client certificate: %w", err)
	}
	authority, err := secret(caSecret, corev1.SecretTypeOpaque, map[string][]byte{caCertificate: ca.certificatePEM(), caKey: ca.keyPEM()})
	if err != nil {
		return nil, err
	}
	shown, err := secret(clientSecret, corev1.SecretTypeTLS, map[string][]byte{
		corev1.TLSCertKey: client.certificatePEM(), corev1.TLSPrivateKeyKey: client.keyPEM(),
	})
	if err != nil {
		return nil, err
	}
	return []*unstructured.Unstructured{authority, shown}, nil
}

func secret(name string, kind corev1.SecretType, data map[string][]byte) (*unstructured.Unstructured, error) {
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&corev1.Secret{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: Namespace,
			Labels: map[string]string{manifests.LabelOwner: manifests.Owner},
		},
		Type: kind,
		Data: data,
	})
	return &unstructured.Unstructured{Object: object}, err
}

// identity is a certificate with its key. The operator reads RSA keys alone.
type identity struct {
	certificate *x509.Certificate
	key         *rsa.PrivateKey
}

func newCA(now time.Time) (identity, error) {
	key, err := rsa.GenerateKey(rand.Reader, keyBits)
	if err != nil {
		return identity{}, err
	}
	template := &x509.Certificate{
		Subject:               pkix.Name{CommonName: "rehearsal agent CA"},
		NotBefore:             now.Add(-skew),
		NotAfter:              now.Add(validity),
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	return sign(template, template, key, key)
}

// issueClient makes a certificate for the client's end of a connection. Agents refuse other usages.
func (ca identity) issueClient(now time.Time) (identity, error) {
	key, err := rsa.GenerateKey(rand.Reader, keyBits)
	if err != nil {
		return identity{}, err
	}
	template := &x509.Certificate{
		Subject:     pkix.Name{CommonName: operatorName},
		NotBefore:   now.Add(-skew),
		NotAfter:    now.Add(validity),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	return sign(template, ca.certificate, key, ca.key)
}

func sign(template, parent *x509.Certificate, key *rsa.PrivateKey, signer crypto.Signer) (identity, error) {
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	if err != nil {
		return identity{}, err
	}
	certificate, err := x509.ParseCertificate(der)
	return identity{certificate: certificate, key: key}, err
}

func (i identity) certificatePEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: i.certificate.Raw})
}

func (i identity) keyPEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(i.key)})
}
