import { anyRef, moduleSources, type ModuleSource } from '../domain/git/module-sources.ts'
import { relayAllowance } from '../domain/git/relay-allowance.ts'
import type { RelayHost } from '../gateways/git/relay-environment.ts'
import type { StepLimits, Workbench } from '../gateways/sandbox/workbench.ts'

type Learning = {
  bench: Workbench
  /** The environment that directs git to the relay. */
  gitEnv: Readonly<Record<string, string>>
  /** The sources that the configuration itself names. */
  sources: readonly ModuleSource[]
  /** Lets the relay also serve these sources. `all`: no more will follow. */
  allow: (sources: ModuleSource[], all: boolean) => Promise<unknown>
  hosts: readonly RelayHost[]
  signal: AbortSignal
}

/** The limit of repositories that are read. Modules of further ones must be named in the configuration. */
const maxRead = 64
/** The limit of sources per repository. */
const maxFound = 500
const maxSaidBytes = 4 * 1024 * 1024
const folder = 'sources'
const limits: StepLimits = {
  timeoutMs: 5 * 60_000,
  silenceMs: 5 * 60_000,
  memoryBytes: 1024 ** 3,
  processes: 64,
  fileSizeBytes: 1024 ** 3,
}

/**
 * Lets the relay serve the sources of nested modules, recursively. Runs before `init`, while the workbench
 * has neither code nor environment of the author, so that a malicious author's programs cannot add sources.
 */
export async function learnModuleSources(learning: Learning): Promise<void> {
  const { hosts, allow } = learning
  const allowance = relayAllowance(learning.sources)
  const origins = new Map(hosts.map(({ host, origin }) => [host.toLowerCase(), origin]))
  const read = new Set<string>()
  for (;;) {
    const next = allowance.all().find((one) => origins.has(one.host) && !read.has(keyOf(one)))
    if (!next || read.size >= maxRead || learning.signal.aborted) break
    read.add(keyOf(next))
    const url = `${origins.get(next.host)}/${next.repository}.git`
    const found = (await sourcesIn(learning, url, next)).slice(0, maxFound)
    allowance.add(found)
    await allow(found, false)
  }
  await allow([], true)
}

const keyOf = ({ host, repository, ref }: ModuleSource): string =>
  JSON.stringify([host, repository.toLowerCase(), ref])

/** The sources that one repository names. Empty if it cannot be read: then `init` fails too and says why. */
async function sourcesIn(
  { bench, gitEnv, signal }: Learning,
  url: string,
  { ref }: ModuleSource,
): Promise<ModuleSource[]> {
  await bench.makeFolder(folder)
  const { exitCode, stdout } = await bench.run({
    program: 'sh',
    args: ['-c', script, 'sh', url, ref === undefined || ref === anyRef ? 'HEAD' : ref],
    env: {
      PATH: '/usr/bin:/bin',
      HOME: '/nonexistent',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      ...gitEnv,
    },
    cwd: folder,
    network: 'run',
    limits,
    captureBytes: maxSaidBytes,
    onLine: () => undefined,
    signal,
  })
  return exitCode === 0 ? moduleSources([stdout.toString()]) : []
}

/** Fetches one commit without history. `|| true`: `git grep` exits with 1 if a module names no sources. */
const script = `set -e
rm -rf repository
git init -q --bare repository
git -C repository fetch -q --depth 1 --no-tags -- "$1" "$2"
git -C repository grep -hIw source FETCH_HEAD -- '*.tf' '*.tofu' '*.tf.json' '*.tofu.json' || true
rm -rf repository
`
