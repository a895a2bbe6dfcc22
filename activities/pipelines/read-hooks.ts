import { createHash } from 'node:crypto'
import type { Manifest } from '../../domain/manifest/manifest-schema.ts'
import type { HookName } from '../../domain/pipelines/release-plan.ts'
import type { HookFile } from '../../domain/pipelines/release-changes.ts'
import type { Attempt } from './begin-attempt.ts'
import { RunFault } from './run-fault.ts'
import type { OpenedSource } from './with-source.ts'

/** Longer ones are shown by their hash alone. */
const maxTextBytes = 64 * 1024
/** Larger ones take too long to hash. */
const maxHashedBytes = 256 * 1024 ** 2
const maxHooks = 4

const script = `for path; do
  test -f "$path" || exit 3
  size=$(stat -L -c %s -- "$path")
  if [ "$size" -le ${maxTextBytes} ]; then printf 'bytes:%s\\n' "$(base64 -w 0 < "$path")"
  elif [ "$size" -le ${maxHashedBytes} ]; then printf 'sha256:%s\\n' "$(sha256sum < "$path" | cut -c 1-64)"
  else echo large; fi
done`

/**
 * The hooks of what was built, for who approves it. They are files of the artifact: one that is not there would be
 * found on a host, after the switch, so it ends the build.
 */
export async function readHooks(
  { mask }: Pick<Attempt, 'mask'>,
  { bench }: OpenedSource,
  { folder, deploy }: { folder: string; deploy: Manifest['deploy'] },
): Promise<HookFile[]> {
  const named = Object.entries(deploy?.hooks ?? {}).map(([name, hook]) => ({
    // A key of the schema.
    name: name as HookName,
    path: typeof hook === 'string' ? hook : hook.path,
  }))
  if (named.length === 0) return []
  const end = await bench.run({
    program: 'sh',
    args: ['-ec', script, 'sh', ...named.map(({ path }) => path)],
    env: { PATH: '/usr/bin:/bin' },
    cwd: folder,
    network: 'none',
    limits: {
      timeoutMs: 30_000,
      silenceMs: 30_000,
      memoryBytes: 256 * 1024 ** 2,
      processes: 16,
      fileSizeBytes: 1024 ** 2,
    },
    captureBytes: maxHooks * 2 * maxTextBytes,
  })
  const lines = end.stdout.toString().split('\n').slice(0, -1)
  const missing = named[lines.length]
  if (end.exitCode === 3 && missing)
    throw new RunFault(
      'build_errored',
      `The artifact has no file ${missing.path}, the hook "${missing.name}".`,
    )
  if (end.exitCode !== 0 || lines.length !== named.length)
    throw new RunFault('build_errored', 'The hooks of the artifact cannot be read.')
  return named.map((hook, at) => ({ ...hook, ...contentOf(lines[at] ?? '', mask) }))
}

function contentOf(
  line: string,
  mask: (text: string) => string,
): Pick<HookFile, 'sha256' | 'text'> {
  const [kind, value = ''] = line.split(':')
  if (kind === 'sha256') return { sha256: value, text: null }
  if (kind !== 'bytes') return { sha256: null, text: null }
  const bytes = Buffer.from(value, 'base64')
  const text = bytes.toString()
  const isText = !text.includes('\0') && Buffer.from(text).equals(bytes)
  return {
    sha256: createHash('sha256').update(bytes).digest('hex'),
    text: isText ? mask(text) : null,
  }
}
