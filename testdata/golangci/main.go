// Command golangci is golangci-lint with hoplint as a linter in it, built from the module proxy. It is what
// "golangci-lint custom" would build, without a checkout of golangci-lint. The module is apart from the rest because of
// what it requires, and because golangci-lint is under the GPL: this program is meant for tests and is not shipped.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/golangci/golangci-lint/v2/pkg/commands"

	_ "github.com/hoplint/hoplint/analyzer/golangci"
)

// version is that of golangci-lint in go.mod.
const version = "2.15.0"

func main() {
	salt, err := ownHash()
	if err == nil {
		err = commands.Execute(commands.BuildInfo{GoVersion: runtime.Version(), Version: version + "-hoplint-" + salt})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3) // as golangci-lint does when it fails
	}
}

// ownHash identifies this build. golangci-lint keys its cache by its version alone, so without it findings of an earlier
// build of the plugin would be taken for those of this one.
func ownHash() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)[:8]), nil
}
