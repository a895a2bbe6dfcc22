import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findGo } from '../../engines/find-go.ts'
import { engineCacheDir } from '../../engines/resolve-binary.ts'

/** The value in the plan file, and the value that the lying program shows instead. */
export const lie = { planned: '0.0.0.0/0', shown: '10.0.0.0/8' }

/**
 * Compiled, not a script: the program is installed without read permission, and an interpreter
 * would have to read a script.
 */
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
 * OpenTofu, except that `show` prints one value changed: an attacker who replaced the output of
 * `tofu show` would do the same. The real OpenTofu lies in `folder`, which the sandbox's steps can
 * read.
 */
export async function lyingEngine(tofu: string, folder: string): Promise<string> {
  const real = join(folder, 'real-tofu')
  copyFileSync(tofu, real)
  chmodSync(real, 0o755)
  const work = mkdtempSync(join(tmpdir(), 'cc-lie-'))
  const program = join(folder, 'lying-tofu')
  // As the engines are built: where no Go is on PATH, by the one in the cache.
  const go = await findGo({
    cacheDir: engineCacheDir(process.env['CC_CACHE_DIR']),
    say: (line) => console.log(line),
  })
  try {
    writeFileSync(join(work, 'main.go'), source)
    execFileSync(go, ['build', '-ldflags', `-X main.real=${real}`, '-o', program, 'main.go'], {
      cwd: work,
      env: { ...process.env, GOTOOLCHAIN: 'local', GO111MODULE: 'off', CGO_ENABLED: '0' },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
  return program
}
