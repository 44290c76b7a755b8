package screen

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	tea "charm.land/bubbletea/v2"
)

// maxEditedBytes bounds what is read back from an editor: an article's body and its title.
const maxEditedBytes = 600_000

// editor opens $VISUAL, else $EDITOR, else vi, on a text in a file of its own. The screen is given over to it meanwhile.
func editor(ctx context.Context) func(string, func(string, error) tea.Msg) tea.Cmd {
	return func(text string, done func(string, error) tea.Msg) tea.Cmd {
		path, err := written(text)
		if err != nil {
			return func() tea.Msg { return done("", err) }
		}
		return tea.ExecProcess(EditorCommand(ctx, os.Getenv, path), func(err error) tea.Msg {
			defer func() { _ = os.Remove(path) }()
			if err != nil {
				return done("", ended(err))
			}
			return done(read(path))
		})
	}
}

func ended(err error) error {
	return fmt.Errorf("the editor ended with an error, so nothing was changed: %w", err)
}

// EditorCommand is the command that edits a file. The setting may have arguments, such as "code --wait".
func EditorCommand(ctx context.Context, env func(string) string, path string) *exec.Cmd {
	name := env("VISUAL")
	if name == "" {
		name = env("EDITOR")
	}
	if name == "" {
		name = "vi"
	}
	return exec.CommandContext(ctx, "sh", "-c", name+` "$1"`, "sh", path)
}

func written(text string) (path string, err error) {
	f, err := os.CreateTemp("", "wiki-*.md") // readable by nobody else
	if err != nil {
		return "", fmt.Errorf("the text could not be given to an editor: %w", err)
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(fmt.Errorf("the text could not be given to an editor: %w", err), os.Remove(f.Name()))
	}
	return f.Name(), nil
}

func read(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("what was saved could not be read: %w", err)
	}
	if info.Size() > maxEditedBytes {
		return "", fmt.Errorf("what was saved is %d bytes; an article has at most %d", info.Size(), maxEditedBytes)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("what was saved could not be read: %w", err)
	}
	return string(raw), nil
}
