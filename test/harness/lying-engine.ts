import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What the plan file says, and what the lying engine shows in its place. */
export const lie = { planned: '0.0.0.0/0', shown: '10.0.0.0/8' }

/** A program and no script: the engine is installed unreadable, and a script must be read by an interpreter. */
const source = `package main

import (
	"bytes"
	"os"
	"os/exec"
	"syscall"
)

var real string

func main() {
	args := os.Args[1:]
	if len(args) == 0 || args[0] != "show" {
		panic(syscall.Exec(real, os.Args, os.Environ()))
	}
	show := exec.Command(real, args...)
	show.Stderr = os.Stderr
	said, err := show.Output()
	os.Stdout.Write(bytes.ReplaceAll(said, []byte("${lie.planned}"), []byte("${lie.shown}")))
	if err != nil {
		os.Exit(1)
	}
}
`

/**
 * OpenTofu but for `show`, which changes a value of what it prints: what a program that took the
 * engine's output would do. The real engine lies in `folder`, which the sandbox's steps can read.
 */
export function lyingEngine(tofu: string, folder: string): string {
  const real = join(folder, 'real-tofu')
  copyFileSync(tofu, real)
  chmodSync(real, 0o755)
  const work = mkdtempSync(join(tmpdir(), 'cc-lie-'))
  const program = join(folder, 'lying-tofu')
  try {
    writeFileSync(join(work, 'main.go'), source)
    execFileSync('go', ['build', '-ldflags', `-X main.real=${real}`, '-o', program, 'main.go'], {
      cwd: work,
      env: { ...process.env, GOTOOLCHAIN: 'local', GO111MODULE: 'off', CGO_ENABLED: '0' },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
  return program
}
