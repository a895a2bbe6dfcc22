import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const version = '1.4.0'

export type ProviderMirror = { cliConfig: string; folder: string }

/**
 * A real provider that nobody here wrote, built from its Go module and laid out as a
 * filesystem mirror; undefined where no Go is there to build it. Built once a machine.
 */
export function providerMirror(): ProviderMirror | undefined {
  const cache = join(process.env['CC_CACHE_DIR'] ?? join(homedir(), '.cache/cloud-control'), 'test')
  const built = join(cache, `terraform-provider-local-${version}`)
  if (!existsSync(built)) {
    mkdirSync(cache, { recursive: true })
    const bin = mkdtempSync(join(cache, 'go-'))
    try {
      execFileSync(
        'go',
        ['install', `github.com/terraform-providers/terraform-provider-local@v${version}`],
        { env: { ...process.env, GOBIN: bin, GOTOOLCHAIN: 'local' }, stdio: 'ignore' },
      )
    } catch {
      return undefined
    }
    cpSync(join(bin, 'terraform-provider-local'), built)
  }
  // Where the uid of a sandbox's slot may go.
  const mirror = mkdtempSync(join(tmpdir(), 'cc-mirror-'))
  chmodSync(mirror, 0o755)
  const place = join(mirror, `registry.opentofu.org/hashicorp/local/${version}/linux_amd64`)
  mkdirSync(place, { recursive: true })
  const program = join(place, `terraform-provider-local_v${version}`)
  cpSync(built, program)
  chmodSync(program, 0o755)
  const cliConfig = join(mirror, 'tofu.rc')
  writeFileSync(
    cliConfig,
    `provider_installation {\n  filesystem_mirror {\n    path = "${mirror}"\n  }\n}\n`,
  )
  return { cliConfig, folder: mirror }
}

/** Puts a script before the provider that runs the configuration's own `trap.sh`, as a hostile provider would. */
export function setTraps({ folder }: ProviderMirror): void {
  const [program = ''] = globSync(join(folder, '**/terraform-provider-local_v*'))
  const real = join(dirname(program), 'real')
  renameSync(program, real)
  writeFileSync(program, `#!/bin/sh\nsh ./trap.sh\nexec ${real} "$@"\n`)
  chmodSync(program, 0o755)
}
