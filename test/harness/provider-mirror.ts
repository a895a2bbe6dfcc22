import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const version = '1.4.0'
const engineModule = join(import.meta.dirname, '../../engines/tofu')

type Provider = { name: string; arguments: string[]; cwd?: string; env?: Record<string, string> }

/** A published provider, not written for these tests. */
const local: Provider = {
  name: 'local',
  arguments: [
    'install',
    '-gcflags=all=-dwarf=false',
    `github.com/terraform-providers/terraform-provider-local@v${version}`,
  ],
}
/** OpenTofu's own test provider, built from the OpenTofu sources that engines/tofu requires. */
const simple: Provider = {
  name: 'simple',
  arguments: [
    'build',
    '-mod=readonly',
    '-ldflags=-s -w',
    '-gcflags=all=-dwarf=false',
    '-tags=http2legacy',
    '-o=$BIN/',
    'github.com/opentofu/opentofu/internal/provider-simple-v6/main',
  ],
  cwd: engineModule,
  env: { GOWORK: 'off', CGO_ENABLED: '0' },
}

export type ProviderMirror = { cliConfig: string; folder: string }

/**
 * Real providers, built from their Go modules and laid out as a filesystem mirror. Undefined where
 * Go is not installed. Built once per machine.
 */
export function providerMirror(more: { simple?: true } = {}): ProviderMirror | undefined {
  const providers = [local, ...(more.simple ? [simple] : [])]
  const programs = providers.map((provider) => [provider.name, built(provider)] as const)
  // A folder that the uid of a sandbox's slot may read.
  const mirror = mkdtempSync(join(tmpdir(), 'cc-mirror-'))
  chmodSync(mirror, 0o755)
  for (const [name, program] of programs) {
    if (program === undefined) return undefined
    const place = join(mirror, `registry.opentofu.org/hashicorp/${name}/${version}/linux_amd64`)
    mkdirSync(place, { recursive: true })
    const target = join(place, `terraform-provider-${name}_v${version}`)
    cpSync(program, target)
    chmodSync(target, 0o755)
  }
  const cliConfig = join(mirror, 'tofu.rc')
  writeFileSync(
    cliConfig,
    `provider_installation {\n  filesystem_mirror {\n    path = "${mirror}"\n  }\n}\n`,
  )
  return { cliConfig, folder: mirror }
}

function built(provider: Provider): string | undefined {
  const cache = join(process.env['CC_CACHE_DIR'] ?? join(homedir(), '.cache/cloud-control'), 'test')
  const target = join(cache, `terraform-provider-${provider.name}-${version}`)
  if (existsSync(target)) return target
  mkdirSync(cache, { recursive: true })
  const bin = mkdtempSync(join(cache, 'go-'))
  try {
    const args = provider.arguments.map((arg) => arg.replace('$BIN', bin))
    execFileSync('go', args, {
      ...(provider.cwd && { cwd: provider.cwd }),
      env: { ...process.env, ...provider.env, GOBIN: bin, GOTOOLCHAIN: 'local' },
      stdio: 'ignore',
    })
    const [program = ''] = readdirSync(bin)
    // Renames the finished build into place, because test files run in parallel.
    renameSync(join(bin, program), target)
    return target
  } catch {
    return undefined
  } finally {
    rmSync(bin, { recursive: true, force: true })
  }
}

/**
 * Wraps the provider in a script that first runs the configuration's `trap.sh`, as a hostile
 * provider would.
 */
export function setTraps({ folder }: ProviderMirror): void {
  const [program = ''] = globSync(join(folder, '**/terraform-provider-local_v*'))
  const real = join(dirname(program), 'real')
  renameSync(program, real)
  writeFileSync(program, `#!/bin/sh\nsh ./trap.sh\nexec ${real} "$@"\n`)
  chmodSync(program, 0o755)
}
