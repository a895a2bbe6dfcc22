import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BuildDeps } from '../../activities/deps.ts'
import { artifactFolder } from '../../gateways/artifacts/folder.ts'

/** What builds need, with limits that a test reaches soon. */
export function buildDeps(
  sandbox: BuildDeps['sandbox'],
  tools: readonly string[] = [],
): BuildDeps & { root: string } {
  const root = mkdtempSync(join(tmpdir(), 'cc-artifacts-'))
  return {
    root,
    sandbox,
    folderBytes: 64 * 1024 ** 2,
    limits: {
      memoryBytes: 256 * 1024 ** 2,
      silenceMs: 20_000,
      processes: 64,
      fileSizeBytes: 4 * 1024 ** 3,
      printedBytes: 32 * 1024 ** 2,
    },
    tools,
    artifacts: artifactFolder(root),
    caches: artifactFolder(join(root, 'caches')),
    describes: false,
    slotShares: { take: async () => () => undefined, forget: () => undefined },
    incomingDir: join(root, 'parts'),
  }
}
