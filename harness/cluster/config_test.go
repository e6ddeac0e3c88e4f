package cluster

import (
	"flag"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func TestRenderKind(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]kindOptions{
		"kind-default.yaml":         {},
		"kind-static-cgroupv1.yaml": {StaticNetwork: true, Patches: "/kind/patches", CgroupV1: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rendered, err := renderKind(options)
			if err != nil {
				t.Fatal(err)
			}
			var config struct{ KubeadmConfigPatches []string }
			if err := yaml.Unmarshal(rendered, &config); err != nil {
				t.Fatalf("not YAML: %v", err)
			}
			for _, patch := range config.KubeadmConfigPatches {
				if err := yaml.UnmarshalStrict([]byte(patch), &map[string]any{}); err != nil {
					t.Errorf("patch is not YAML: %v\n%s", err, patch)
				}
			}
			golden(t, name, string(rendered))
		})
	}
}

func TestRenderEgress(t *testing.T) {
	t.Parallel()
	rules, err := renderEgress(egressOptions{
		Registry:  netip.MustParseAddr("172.18.0.3"),
		Port:      registryPort,
		Pods:      podSubnet,
		Resolvers: []netip.Addr{netip.MustParseAddr("172.18.0.1")},
	})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "egress.nft", rules)
}

func TestHostsTOML(t *testing.T) {
	t.Parallel()
	r := registry{name: "rehearsal-a-registry", address: netip.MustParseAddr("172.18.0.3")}
	golden(t, "hosts.toml", r.hostsTOML())
}

func TestConfigDefaults(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", "/cache")
	t.Setenv("HOME", "/home/user")
	root, err := stateRoot()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, want string }{
		{"a", "rehearsal-a"},
		{"rehearsal-a", "rehearsal-a"},
		{strings.Repeat("a", 40), "rehearsal-" + strings.Repeat("a", 40)},
		{strings.Repeat("a", 41), ""},
		{"", ""},
		{"A", ""},
		{"a-", ""},
		{"a/../b", ""},
		{"a b", ""},
	} {
		config, err := Config{Name: test.name}.withDefaults()
		if test.want == "" {
			if err == nil {
				t.Errorf("name %q is accepted", test.name)
			}
			continue
		}
		if err != nil {
			t.Errorf("name %q: %v", test.name, err)
			continue
		}
		if config.Name != test.want || config.StateDir != filepath.Join(root, test.want) {
			t.Errorf("name %q gives %q in %q", test.name, config.Name, config.StateDir)
		}
	}
}

func TestRemoveStateLeavesWhatIsNotOurs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"kubeconfig", "notes"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := removeState(dir); err != nil {
			t.Fatal(err)
		}
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{filepath.Join(dir, "notes")}, left); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
}

func TestPurgeStateKeepsToItsRoot(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, removed := range map[string]bool{
		"rehearsal-a":   true,
		"other":         false,
		"rehearsal-b/c": false,
	} {
		dir := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Join(dir, "logs"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := purgeState(root, dir); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(dir); os.IsNotExist(err) != removed {
			t.Errorf("%s removed: %t, want %t", name, !removed, removed)
		}
	}
}
