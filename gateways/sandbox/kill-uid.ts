import { spawn } from 'node:child_process'
import { once } from 'node:events'

/**
 * Kills every process of a slot's uid: what left its process group, and what a dead
 * worker left behind. `kill -1` as that uid reaches its own processes and no others, and
 * all at once, so that none can fork its way past a list.
 */
export async function killUid(uid: number | undefined): Promise<void> {
  if (uid === undefined) return
  // The number is checked because uid 0 here would take the host down.
  if (uid <= 1000) throw new Error('Not the uid of a slot')
  const child = spawn('/bin/sh', ['-c', 'kill -9 -1'], { uid, gid: uid, stdio: 'ignore', env: {} })
  await once(child, 'exit')
}
