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
  /** Has the relay serve these as well; `all`: no more will follow. */
  allow: (sources: ModuleSource[], all: boolean) => Promise<unknown>
  hosts: readonly RelayHost[]
  signal: AbortSignal
}

/** How many repositories are read; sources of further modules must be named in the configuration. */
const maxRead = 64
/** Per repository. */
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
 * Allows what the modules of a configuration name in turn, recursively. Runs before `init`, when no code
 * and no environment of the author is in the workbench, so that the author's programs cannot influence
 * what is allowed.
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

/** What cannot be read here cannot be read by `init` either, which reports why. */
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

/** One commit without history. `grep` finds nothing in a module without modules, which is no error. */
const script = `set -e
rm -rf repository
git init -q --bare repository
git -C repository fetch -q --depth 1 --no-tags -- "$1" "$2"
git -C repository grep -hIw source FETCH_HEAD -- '*.tf' '*.tofu' '*.tf.json' '*.tofu.json' || true
rm -rf repository
`
