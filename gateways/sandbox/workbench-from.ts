import { join } from 'node:path'
import { invalid, unavailable } from '../../domain/errors.ts'
import { folderSize } from './folder-size.ts'
import { insideFolder } from './inside-folder.ts'
import { killUid } from './kill-uid.ts'
import { launcherOf } from './launcher-of.ts'
import { placeFile, takeOutFile } from './move-files.ts'
import { superviseStep, type Watch } from './supervise-step.ts'
import type { BenchGrant, Step, Workbench } from './workbench.ts'

/**
 * Opens a workbench from its grant, in whatever process holds it. The steps are children of that process, which
 * reads their output. `giveBack` returns the loan to the process that lent it.
 */
export function workbenchFrom(grant: BenchGrant, giveBack: () => Promise<void>): Workbench {
  const { root, quotaBytes, tmpfsBytes } = grant
  const uid = grant.uid ?? undefined
  const launch = launcherOf(grant.launcher)
  const files = insideFolder(root, uid)
  const watch: Watch = { graceMs: grant.graceMs }
  if (quotaBytes !== null) watch.isOverQuota = async () => (await folderSize(root)) > quotaBytes
  const closing = new AbortController()
  const running = new Set<Promise<unknown>>()
  let closed: Promise<void> | undefined

  const start = async (step: Step) => {
    const program = grant.programs[step.program]
    if (!program) throw unavailable('no_program', `This worker has no ${step.program}`)
    if (closing.signal.aborted) throw unavailable('workbench_closed', 'The workbench is closed')
    await checkFolders(files, step)
    const signal = step.signal ? AbortSignal.any([step.signal, closing.signal]) : closing.signal
    if (signal.aborted) return canceled
    const enterNetwork = step.network === 'run' ? grant.enterNetwork : []
    const launched = launch({ root, uid, program, enterNetwork, tmpfsBytes }, step)
    if (launched.child.pid !== undefined) step.onSpawn?.(launched.child.pid)
    return superviseStep(launched, { ...step, signal }, watch)
  }

  return {
    ...grant.urls,
    inside: (path) => join(grant.launcher.kind === 'bubblewrap' ? '/bench' : root, path),
    write: files.write,
    makeFolder: files.makeFolder,
    read: files.read,
    place: async (path, hostPath) => placeFile({ root, owner: uid }, path, hostPath),
    takeOut: async (path, hostPath) => takeOutFile({ root, owner: uid }, path, hostPath),
    async run(step) {
      const end = start(step)
      running.add(end)
      try {
        return await end
      } finally {
        running.delete(end)
      }
    },
    close() {
      closed ??= (async () => {
        closing.abort()
        // A step that has ended has no processes left: superviseStep waited for that.
        if (running.size > 0) await killUid(uid)
        await Promise.allSettled(running)
        await giveBack()
      })()
      return closed
    },
  }
}

const canceled = {
  how: 'canceled',
  exitCode: null,
  signal: null,
  stdout: Buffer.alloc(0),
  stdoutBytes: 0,
} as const

/**
 * bwrap resolves mount sources on the host: a step that leaves a link to `/etc` where the next one has a
 * read-only folder would get the host's. Only top-level folders are allowed: the parent of a deeper one could
 * be renamed and replaced.
 */
async function checkFolders(files: ReturnType<typeof insideFolder>, step: Step): Promise<void> {
  for (const folder of step.readOnly ?? []) {
    if (!/^[A-Za-z0-9._-]+$/.test(folder)) throw invalid('A read-only folder lies at the top')
    await files.requireFolder(folder)
  }
  await files.requireFolder(step.cwd)
}
