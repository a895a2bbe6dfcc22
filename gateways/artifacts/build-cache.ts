import { createHash } from 'node:crypto'
import { conflict, unavailable } from '../../domain/errors.ts'
import { limitOfStep } from '../sandbox/limit-of-step.ts'
import type { Step, StepEnd, Workbench } from '../sandbox/workbench.ts'

type Place = {
  /** Of the workbench, which the paths are below. */
  folder: string
  path: string
  signal?: AbortSignal
}

const maxUnpackedBytes = 8 * 1024 ** 3
const [archive, unpacked, out] = ['.cache.tar.zst', '.cache', '.cached']

/** Where a pipeline gets what it builds. Once that changes, other people made what was kept. */
export type SourceOfCache = {
  connectionId: number | null
  repository: string | null
  ownBranch: string | null
  folder: string
}

/**
 * The name of a cache, by its source and the contents of these files of it. Undefined if one of them is not
 * there: a cache that is named by nothing would never change.
 */
export async function keyOfCache(
  bench: Workbench,
  { files, source, ...place }: Place & { files: readonly string[]; source: SourceOfCache },
): Promise<string | undefined> {
  const end = await run(bench, place, {
    script: 'for file; do test -f "$file" || exit 3; sha256sum < "$file"; done',
    args: files,
  })
  if (end.exitCode === 3) return undefined
  assertWell(end)
  const { connectionId, repository, ownBranch, folder } = source
  const named = JSON.stringify([
    [connectionId, repository, ownBranch, folder],
    place.path,
    files,
    end.stdout.toString(),
  ])
  return createHash('sha256').update(named).digest('hex')
}

/**
 * Unpacks a cache below the folder, in the sandbox: what an archive names outside of it, it names in a
 * workbench of its own pipeline. All of it or nothing: it is unpacked beside its place first. tar makes
 * no device without a right that no step has, and then the whole cache is left.
 */
export async function unpackCache(
  bench: Workbench,
  { hostPath, ...place }: Place & { hostPath: string },
): Promise<void> {
  await bench.place(archive, hostPath)
  try {
    assertWell(await run(bench, place, { script: unpack }))
  } finally {
    await run(bench, place, {
      script: 'rm -rf "$CC_ARCHIVE" "$CC_UNPACKED" "$CC_UNPACKED.failed"',
    })
  }
}

/** Packs a folder for later builds. False if the build left none. */
export async function packCache(
  bench: Workbench,
  { hostPath, maxBytes, ...place }: Place & { hostPath: string; maxBytes: number },
): Promise<boolean> {
  const end = await run(bench, place, { script: pack, maxBytes })
  if (end.exitCode === 3) return false
  // 153 is how a shell says it: 128 + SIGXFSZ.
  if (end.signal === 'SIGXFSZ' || end.exitCode === 153)
    throw conflict(
      'cache_too_large',
      `it is larger than ${Math.floor(maxBytes / 1024 ** 2)} MiB, which is the most that is kept`,
    )
  assertWell(end)
  await bench.takeOut(`${out}/cache.tar.zst`, hostPath)
  return true
}

const unpack = `
rm -rf "$CC_UNPACKED"
mkdir "$CC_UNPACKED"
{ zstd -q -d -c "$CC_ARCHIVE" || touch "$CC_UNPACKED.failed"; } | head -c "$CC_MAX_BYTES" \
  | tar --extract --file=- --directory="$CC_UNPACKED" --no-same-owner --no-same-permissions
test ! -e "$CC_UNPACKED.failed"
mkdir -p "$(dirname "./$CC_PATH")"
if test -e "./$CC_PATH" || test -L "./$CC_PATH"
then cp -a --remove-destination "$CC_UNPACKED/." "./$CC_PATH/"
else mv "$CC_UNPACKED" "./$CC_PATH"
fi`

const pack = `
test -d "./$CC_PATH" || exit 3
rm -rf "$CC_OUT"
mkdir "$CC_OUT"
{ tar --create --file=- --directory="./$CC_PATH" --sort=name --format=posix . || touch "$CC_OUT/failed"; } \
  | zstd -q -3 -T1 -c > "$CC_OUT/cache.tar.zst"
test ! -e "$CC_OUT/failed"`

type Script = { script: string; args?: readonly string[]; maxBytes?: number }

async function run(
  bench: Workbench,
  { folder, path, signal }: Place,
  { script, args = [], maxBytes = maxUnpackedBytes }: Script,
): Promise<StepEnd> {
  const limits: Step['limits'] = {
    timeoutMs: 15 * 60_000,
    silenceMs: 15 * 60_000,
    memoryBytes: 512 * 1024 ** 2,
    processes: 64,
    fileSizeBytes: maxBytes,
  }
  return bench.run({
    program: 'sh',
    args: ['-ec', script, 'sh', ...args],
    env: {
      PATH: '/usr/bin:/bin',
      LC_ALL: 'C',
      CC_ARCHIVE: bench.inside(archive),
      CC_UNPACKED: bench.inside(unpacked),
      CC_OUT: bench.inside(out),
      CC_PATH: path,
      CC_MAX_BYTES: String(maxUnpackedBytes),
    },
    cwd: folder,
    network: 'none',
    limits,
    captureBytes: 64 * 1_024,
    ...(signal && { signal }),
  })
}

function assertWell(end: StepEnd): void {
  if (end.how === 'exited' && end.exitCode === 0) return
  if (end.how === 'canceled') throw unavailable('cache_canceled', 'it was ended')
  const limit = limitOfStep(end)
  throw conflict(
    'cache_unusable',
    limit === undefined ? `tar and zstd ended with ${end.exitCode ?? end.how}` : limit,
  )
}
