import { rm } from 'node:fs/promises'
import { conflict, unavailable } from '../../domain/errors.ts'
import { limitOfStep } from '../sandbox/limit-of-step.ts'
import type { Step, StepEnd, Workbench } from '../sandbox/workbench.ts'
import type { ArtifactStore, PutOptions } from './artifact-store.ts'
import { selectFiles, type FileChoice } from './select-files.ts'

export type ArtifactToPack = FileChoice & {
  /** Folder of the workbench: all that is in it and is chosen. */
  folder: string
  /** The commit's: the time of every entry. */
  committedAt: Date
  /** Path of the host for the archive on its way to the store; removed afterwards. */
  hostPath: string
}

export type PackedArtifact = {
  /** SHA-256 of the stored bytes. */
  digest: string
  /** SHA-256 of the archive before its compression. */
  contentDigest: string
  sizeBytes: number
  /** Files, folders and links. */
  entries: number
}

const maxArtifactBytes = 2 * 1024 ** 3
const maxUnpackedBytes = 8 * 1024 ** 3
const maxEntries = 200_000

/**
 * Packs a folder of the workbench, and keeps it. The archive depends on names, contents, links and the
 * right to execute alone: not on the clock, the user, the umask, the locale or the path. The system's
 * tar and zstd make it in the sandbox, in streams, so the worker's memory does not depend on its size.
 */
export async function packArtifact(
  bench: Workbench,
  { folder, committedAt, hostPath, ...choice }: ArtifactToPack,
  to: { store: ArtifactStore; organizationId: number } & Partial<PutOptions>,
): Promise<PackedArtifact> {
  const { store, organizationId, maxBytes = maxArtifactBytes, signal, claim } = to
  const selected = selectFiles(choice)
  const run = runner(bench, { folder, committedAt, maxBytes, signal, selected })
  const printed = await run(look + pack)
  assertPackable(printed)
  const [, contentDigest, entries] = /^([0-9a-f]{64})\s+\S+\s+(\d+)\s*$/m.exec(printed) ?? []
  if (contentDigest === undefined)
    throw unavailable('artifact_not_packed', 'tar and zstd made no archive.')
  try {
    await bench.takeOut(`${out}/artifact.tar.zst`, hostPath)
    const stored = await store.putFile(organizationId, hostPath, {
      maxBytes,
      ...(claim && { claim }),
      ...(signal && { signal }),
    })
    return { ...stored, contentDigest: `sha256:${contentDigest}`, entries: Number(entries) }
  } finally {
    await rm(hostPath, { force: true })
  }
}

const out = '.packed'

/**
 * Prints what no artifact may have: devices, pipes and sockets, set-id bits, links that leave the folder, too many
 * or no entries, too many bytes. Nothing is packed then. Names may have line breaks, so only the first of each kind is
 * printed, and its name as `ls -b` quotes it.
 */
const look = `
found=$(
find . -mindepth 1 "$@" \\( -type b -o -type c -o -type p -o -type s \\) -exec ls -bd '{}' ';' 2>/dev/null | head -n 1 | sed 's/^/special /'
find . -mindepth 1 "$@" \\( -type f -o -type d \\) -perm /6000 -exec ls -bd '{}' ';' | head -n 1 | sed 's/^/set-id /'
root=$(pwd -P)
find . -mindepth 1 "$@" -type l -exec sh -c '
  for link; do
    case "$(readlink "$link")" in /*) ls -bd "$link"; exit 0;; esac
    case "$(realpath -m "$link")" in "$0"/*|"$0") ;; *) ls -bd "$link"; exit 0;; esac
  done' "$root" '{}' + | head -n 1 | sed 's/^/link /'
find . -mindepth 1 "$@" -printf x | head -c $((CC_MAX_ENTRIES + 1)) | wc -c | sed 's/^ */entries /'
find . -mindepth 1 "$@" -type f -print0 | du -cl --apparent-size -B1 --files0-from=- | tail -n 1 | cut -f1 | sed 's/^/bytes /'
)
printf '%s\\n' "$found"
while read -r kind count; do
  case $kind in
    entries) [ "$count" -ge 1 ] && [ "$count" -le "$CC_MAX_ENTRIES" ] || exit 0;;
    bytes) [ "$count" -le "$CC_MAX_BYTES" ] || exit 0;;
    *) exit 0;;
  esac
done <<FOUND
$found
FOUND
`

/**
 * --mode gives every umask the same rights; what may be executed stays so. Where the worker has OpenSSL it hashes: at
 * 2 GB/s in place of the 500 MB/s of sha256sum, which took longer than tar and zstd together.
 */
const pack = `
folder=$(pwd -P)
rm -rf "$CC_OUT"
mkdir "$CC_OUT"
find . -mindepth 1 "$@" -print0 | sort -z > "$CC_OUT/names"
cd "$CC_OUT"
mkfifo tar.pipe
{ if command -v openssl > /dev/null; then openssl dgst -sha256 -r; else sha256sum; fi; } < tar.pipe > content.sum &
sum=$!
{ tar --create --file=- --directory="$folder" --format=posix \
    --pax-option='exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime' \
    --mtime="@$CC_TIME" --owner=0 --group=0 --numeric-owner --mode='u=rwX,go=rX' \
    --no-acls --no-selinux --no-xattrs --hard-dereference \
    --no-recursion --null --no-unquote --files-from=names || touch tar.failed; } \
  | tee tar.pipe | zstd -q -3 -T1 -c > artifact.tar.zst
wait "$sum"
test ! -e tar.failed
cat content.sum
tr -cd '\\0' < names | wc -c`

type Setting = {
  folder: string
  committedAt: Date
  maxBytes: number
  signal: AbortSignal | undefined
  selected: readonly string[]
}

function runner(bench: Workbench, { folder, committedAt, maxBytes, signal, selected }: Setting) {
  const limits: Step['limits'] = {
    timeoutMs: 30 * 60_000,
    silenceMs: 30 * 60_000,
    memoryBytes: 512 * 1024 ** 2,
    processes: 64,
    // A file past it ends zstd with SIGXFSZ.
    fileSizeBytes: maxBytes,
  }
  return async (script: string): Promise<string> => {
    const end = await bench.run({
      program: 'sh',
      args: ['-ec', script, 'sh', ...selected],
      env: {
        PATH: '/usr/bin:/bin',
        // Names are sorted by their bytes.
        LC_ALL: 'C',
        TZ: 'UTC',
        CC_OUT: bench.inside(out),
        CC_TIME: String(Math.floor(committedAt.getTime() / 1_000)),
        CC_MAX_ENTRIES: String(maxEntries),
        CC_MAX_BYTES: String(maxUnpackedBytes),
      },
      // Which the workbench makes sure is a folder, and no link out of it.
      cwd: folder,
      network: 'none',
      limits,
      captureBytes: 64 * 1_024,
      ...(signal && { signal }),
    })
    if (end.how === 'exited' && end.exitCode === 0) return end.stdout.toString()
    throw faultOf(end, maxBytes)
  }
}

function assertPackable(text: string): void {
  const refuse = (message: string) => conflict('artifact_refused', message)
  for (const line of text.split('\n')) {
    const [, kind, value = ''] = /^(\S+) (.*)$/.exec(line) ?? []
    if (kind === 'special') throw refuse(`The artifact has a device, pipe or socket: ${value}`)
    if (kind === 'set-id')
      throw refuse(`The artifact has a file or folder with a set-id bit: ${value}`)
    if (kind === 'link') throw refuse(`The artifact has a link that leaves its folder: ${value}`)
    if (kind === 'entries' && value === '0')
      throw refuse('The artifact would be empty: its folder has no file that is chosen.')
    if (kind === 'entries' && Number(value) > maxEntries)
      throw refuse(`The artifact has more than ${maxEntries.toLocaleString('en')} entries.`)
    if (kind === 'bytes' && Number(value) > maxUnpackedBytes)
      throw refuse(`The artifact has more than ${maxUnpackedBytes / 1024 ** 3} GiB unpacked.`)
  }
}

function faultOf(end: StepEnd, maxBytes: number): Error {
  if (end.how === 'canceled') return unavailable('artifact_canceled', 'The packing was ended.')
  // 153 is how a shell says it: 128 + SIGXFSZ.
  if (end.signal === 'SIGXFSZ' || end.exitCode === 153)
    return conflict(
      'artifact_too_large',
      `The artifact is larger than ${Math.floor(maxBytes / 1024 ** 2)} MiB, which is the most that is kept.`,
    )
  const limit = limitOfStep(end)
  return limit === undefined
    ? conflict('artifact_not_packed', `tar and zstd ended with ${end.exitCode ?? end.how}.`)
    : conflict('artifact_too_large', `The artifact cannot be packed: ${limit}.`)
}
