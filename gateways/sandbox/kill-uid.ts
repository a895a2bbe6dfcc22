import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Kills every process of a slot's uid: those that left their process group, and those of a dead worker.
 * `kill -1` as that uid reaches exactly its processes, all at once, so that no fork escapes.
 */
export async function killUid(uid: number | undefined): Promise<void> {
  if (uid === undefined) return
  // Checked, because uid 0 here would kill the whole host.
  if (uid <= 1000) throw new Error('Not the uid of a slot')
  // It succeeds as long as a process is left, which may take a moment to die.
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

/** Zombies are found by kill too, and stay until the host's init reaps them, which can take seconds. */
async function isAnyAlive(uid: number): Promise<boolean> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  // All at once: one after the other they took 20 ms for 74 processes, at the end of each run.
  const alive = await Promise.all(
    pids.map(async (pid) => {
      const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
      return new RegExp(`^Uid:\\s+${uid}\\s`, 'm').test(status) && !/^State:\s+[ZX]/m.test(status)
    }),
  )
  return alive.includes(true)
}
