import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Kills every process of a slot's uid: what left its process group, and what a dead
 * worker left behind. `kill -1` as that uid reaches its own processes and no others, and
 * all at once, so that none can fork its way past a list.
 */
export async function killUid(uid: number | undefined): Promise<void> {
  if (uid === undefined) return
  // The number is checked because uid 0 here would take the host down.
  if (uid <= 1000) throw new Error('Not the uid of a slot')
  // It succeeds as long as it finds somebody, who may take a moment to die.
  for (let tries = 0; tries < 200; tries += 1) {
    if (!(await killsAny(uid)) || !(await isAnyAlive(uid))) return
    await sleep(5)
  }
}

async function killsAny(uid: number): Promise<boolean> {
  const child = spawn('/bin/sh', ['-c', 'kill -9 -1'], { uid, gid: uid, stdio: 'ignore', env: {} })
  const [code] = await once(child, 'exit')
  return code === 0
}

/** A zombie is found by kill, too, and stays for as long as the host's init takes to reap it: seconds, on some. */
async function isAnyAlive(uid: number): Promise<boolean> {
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
    if (new RegExp(`^Uid:\\s+${uid}\\s`, 'm').test(status) && !/^State:\s+[ZX]/m.test(status))
      return true
  }
  return false
}
