package runconfig

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// MaxSize is the largest size of a configuration file, in bytes.
const MaxSize = 256 << 10

// Load reads a configuration file. The error is of type Mistakes where the file was read and is wrong.
func Load(path string) (Config, error) {
	text, err := Read(path)
	if err != nil {
		return Config{}, err
	}
	return Parse(path, text)
}

// Read reads the text of a configuration file. Of a larger file it reads one byte more than MaxSize, and Parse refuses it.
func Read(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, pathError(err)
	}
	defer file.Close() //nolint:errcheck // nothing was written
	text, err := io.ReadAll(io.LimitReader(file, MaxSize+1))
	if err != nil {
		return nil, pathError(err)
	}
	return text, nil
}

// pathError leaves out the name of the system call.
func pathError(err error) error {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", failed.Path, failed.Err)
	}
	return err
}

// Parse reads a configuration in YAML, of which JSON is a part, and fills in defaults. It refuses whatever it does not
// know. The error is of type Mistakes and holds all of them; they show name as the file.
func Parse(name string, text []byte) (Config, error) {
	config, _, err := parse(name, text)
	return config, err
}

// parse returns the reader as well, for warnings that name positions in the file.
func parse(name string, text []byte) (Config, *reader, error) {
	r := &reader{file: name, nodes: map[string]*yaml.Node{}}
	root := r.document(text)
	if len(r.mistakes) > 0 {
		return Config{}, nil, r.mistakes.inOrder()
	}
	var config Config
	r.value(root, reflect.ValueOf(&config).Elem(), "")
	config.complete()
	r.compare(&config)
	if len(r.mistakes) > 0 {
		return Config{}, nil, r.mistakes.inOrder()
	}
	return config, r, nil
}

// document returns the root of the file's only document, in the version that this program reads.
func (r *reader) document(text []byte) *yaml.Node {
	start := &yaml.Node{Line: 1, Column: 1}
	switch {
	case len(text) > MaxSize:
		r.mistake(start, "", "the file is larger than %d KiB: a configuration is smaller", MaxSize>>10)
		return nil
	case !utf8.Valid(text):
		r.mistake(start, "", "the file is not UTF-8: save it as UTF-8")
		return nil
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var first, second yaml.Node
	if err := decoder.Decode(&first); errors.Is(err, io.EOF) {
		r.mistake(start, "", "the file is empty: begin with version: %s, or run rehearsal config init", Version)
		return nil
	} else if err != nil {
		r.syntax(err)
		return nil
	}
	if err := decoder.Decode(&second); err == nil {
		r.mistake(&second, "", `a second document begins here: put everything into one, without "---" or "..."`)
	} else if !errors.Is(err, io.EOF) {
		r.syntax(err)
	}
	root := first.Content[0]
	r.version(root)
	return root
}

// version refuses another version before anything else: the rest of such a file may be right in its version.
func (r *reader) version(root *yaml.Node) {
	if root.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		if key.Value == "version" && value.ShortTag() == "!!str" && value.Value != "" && value.Value != Version {
			r.mistake(value, "version", "%s is not a version that this program reads: give %s", quoted(value.Value), Version)
			return
		}
	}
}

var (
	// syntaxForm takes apart an error of the YAML library, which names the line alone.
	syntaxForm = regexp.MustCompile(`^yaml: (?:line ([0-9]+): )?(?s:(.*))$`)
	// lineBefore is of errors for which the library counts lines from 0, and not from 1.
	lineBefore = regexp.MustCompile(`^did not find expected (',' or|<document start>|'-' indicator|key$|node content)`)
)

func (r *reader) syntax(err error) {
	at := &yaml.Node{Line: 1, Column: 1}
	text := err.Error()
	if parts := syntaxForm.FindStringSubmatch(text); parts != nil {
		text = parts[2]
		if line, err := strconv.Atoi(parts[1]); err == nil {
			at.Line = max(line, 1)
		}
		if lineBefore.MatchString(text) {
			at.Line++
		}
	}
	r.mistake(at, "", "the text is not YAML: %s", oneLine(text))
}
