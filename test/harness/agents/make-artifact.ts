import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export type Artifact = {
  /** Of the stored bytes. */
  path: string
  digest: string
  contentDigest: string
  sizeBytes: number
}

/** Packs files as `gateways/artifacts/pack-artifact.ts` does. Those below hooks/ may be executed. */
export function makeArtifact(folder: string, files: Record<string, string>): Artifact {
  const tree = join(folder, 'tree')
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(tree, name)), { recursive: true })
    writeFileSync(join(tree, name), text)
    if (name.startsWith('hooks/')) chmodSync(join(tree, name), 0o755)
  }
  const tar = join(folder, 'artifact.tar')
  execFileSync('sh', [
    '-c',
    `cd "$0" && find . -mindepth 1 -print0 | sort -z | tar --create --file="$1" --format=posix --pax-option='exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime' --mtime=@1700000000 --owner=0 --group=0 --numeric-owner --mode='u=rwX,go=rX' --no-recursion --null --files-from=-`,
    tree,
    tar,
  ])
  return compressed(tar)
}

/** Of an archive that a test made itself. */
export function compressed(tar: string): Artifact {
  const path = `${tar}.zst`
  execFileSync('zstd', ['-q', '-f', '-3', '-T1', tar, '-o', path])
  const bytes = readFileSync(path)
  return {
    path,
    digest: digestOf(bytes),
    contentDigest: digestOf(readFileSync(tar)),
    sizeBytes: bytes.length,
  }
}

const digestOf = (bytes: Buffer): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`
