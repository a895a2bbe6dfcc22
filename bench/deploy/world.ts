import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { GitPeer } from '../../test/harness/git/git-peer.ts'
import { gitlabPeer } from '../../test/harness/git/gitlab-peer.ts'
import { startPlatform, type Platform } from '../start-platform.ts'

/** What a part of the bench measures with. */
export type World = { platform: Platform; peer: GitPeer; folder: string }

/** The parts of `npm start`, a Git host and a folder on the disk; `more` is their environment. */
export async function inWorld<T>(
  use: (world: World) => Promise<T>,
  more: NodeJS.ProcessEnv = {},
): Promise<T> {
  const peer = await gitlabPeer()
  const folder = mkdtempSync(join(tmpdir(), 'cc-bench-deploy-'))
  try {
    const platform = await startPlatform((line) => console.log(line), {
      CC_PRIVATE_HOSTS: `git=127.0.0.1:${peer.server.port}`,
      ...more,
    })
    try {
      return await use({ platform, peer, folder })
    } finally {
      await platform.stop()
    }
  } finally {
    await peer.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
