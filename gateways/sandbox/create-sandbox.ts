import { randomBytes } from 'node:crypto'
import { chmod, mkdir, realpath } from 'node:fs/promises'
import { readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { isMainThread } from 'node:worker_threads'
import { unavailable } from '../../domain/errors.ts'
import { claimName, type Claim } from './claim-name.ts'
import { openCpuGroup, sharesBySession } from './cpu-group.ts'
import { etcFiles } from './etc-files.ts'
import { findCommand } from './find-command.ts'
import { installProgram } from './install-program.ts'
import type { LauncherHost } from './launcher-host.ts'
import { launcherOf } from './launcher-of.ts'
import { lendWorkbench, type WorkbenchHost } from './lend-workbench.ts'
import { openCgroups } from './open-cgroups.ts'
import type { SandboxOptions } from './sandbox-options.ts'
import { slotPool } from './slot-pool.ts'
import { tryBubblewrap } from './try-bubblewrap.ts'
import { removeLeftovers, usersOf } from './work-folder.ts'
import { workbenchFrom } from './workbench-from.ts'
import type { Loan, OpenOptions, OwnedSandbox, Program, Workbench } from './workbench.ts'

/** Creates the sandbox in which this worker runs untrusted programs (docs/decisions/0007-sandbox.md). */
export async function createSandbox(options: SandboxOptions): Promise<OwnedSandbox> {
  // The kernel ends a step together with the thread that started it (PDEATHSIG).
  if (!isMainThread) throw new Error('The sandbox starts steps from the main thread only')
  const use = await makeWorkDir(options.workDir)
  const cgroups = openCgroupsFor(options)
  const removed = await removeLeftovers({ workDir: options.workDir, cgroups: cgroups.runs })
  if (removed > 0) options.log.info({ removed }, 'removed the work folders of dead workers')

  const { launcher, bwrap, notes } = await launcherFor(options, cgroups)
  const programs = await installAll(options)
  const { extraCaFile } = options.outbound
  const host: WorkbenchHost = {
    ...options,
    launcher,
    programs,
    notes,
    ca: extraCaFile ? [readFileSync(extraCaFile, 'utf8')] : undefined,
    graceMs: options.graceMs ?? 10_000,
  }
  const pool = slotPool({ ...options, size: options.slots, cgroups: cgroups.runs, bwrap })
  const lent = new Set<Loan>()
  const open = new Set<Workbench>()

  const lend = async (request: OpenOptions): Promise<Loan> => {
    const slot = await pool.take()
    const { loan, closed } = await lendWorkbench(host, slot, request).catch((error: unknown) => {
      pool.giveBack(slot)
      throw error
    })
    lent.add(loan)
    void closed.then(() => {
      lent.delete(loan)
      pool.giveBack(slot)
    })
    return loan
  }

  return {
    kind: options.kind,
    notes,
    cgroups: cgroups.runs,
    memoryLimit: launcher.kind === 'bubblewrap' && launcher.cgroups !== null ? 'cgroup' : 'watch',
    lend,
    async open(request) {
      const loan = await lend(request)
      const workbench = workbenchFrom(loan.grant, async () => {
        open.delete(workbench)
        await loan.close()
      })
      open.add(workbench)
      return workbench
    },
    async close() {
      await Promise.all([...open].map((workbench) => workbench.close()))
      await Promise.all([...lent].map((loan) => loan.close({ lost: true })))
      pool.close()
      use?.release()
    },
  }
}

/** Folders of this service alone, in which each installation has one (work-folder-for.ts, disk-folder-for.ts). */
const sharedParents = new Set(['/run/cloud-control', '/var/lib/cloud-control'])

/**
 * Its parents can be entered and not listed, so that users of the host do not see the names of runs. The
 * mode is set again after the folder is made: under `npm start` the umask closes it to the uids of steps.
 * While the claim that it returns is held, no stop of another service removes the folder.
 */
async function makeWorkDir(workDir: string): Promise<Claim | undefined> {
  const isRoot = process.getuid?.() === 0
  await mkdir(workDir, { recursive: true, mode: isRoot ? 0o711 : 0o700 })
  if (isRoot) await chmod(workDir, 0o711)
  if (isRoot && sharedParents.has(dirname(workDir))) await chmod(dirname(workDir), 0o711)
  return claimName(usersOf(workDir), randomBytes(6).toString('hex'))
}

async function launcherFor(
  options: SandboxOptions,
  { runs: cgroups, note }: StepGroups,
): Promise<{ launcher: LauncherHost; bwrap: string | undefined; notes: string[] }> {
  const isRoot = process.getuid?.() === 0
  const notes = [...(options.notes ?? [])]
  if (!isRoot) notes.push('The worker is not root: a watch holds the size of work folders')
  const prlimit = findCommand('prlimit')

  if (options.kind === 'process') {
    const setpriv = findCommand('setpriv')
    notes.push('CC_SANDBOX=process: plans see this host. For a developer’s machine only')
    if (!setpriv) notes.push('setpriv is missing: a plan outlives a worker that is killed')
    if (!prlimit) notes.push('prlimit is missing: processes, files and memory have no limits')
    return {
      launcher: { kind: 'process', setpriv, prlimit },
      bwrap: undefined,
      notes,
    }
  }

  const bwrap = findCommand('bwrap')
  const hint = 'install it (apt-get install bubblewrap), or set CC_SANDBOX=process for development'
  if (!bwrap) throw unavailable('sandbox_unavailable', `bubblewrap is missing: ${hint}`)
  if (!prlimit || !findCommand('nsenter'))
    throw unavailable('sandbox_unavailable', 'prlimit and nsenter are missing: install util-linux')
  assertDumpsAreOff()
  const etc = await etcFiles(options.workDir, options.outbound.extraCaFile)
  if (!etc.seccompFile) notes.push('No system call filter is known for this processor')
  const shared = options.shared ?? []
  for (const folder of shared) assertReadable(folder, isRoot)
  if (note) notes.push(note)
  const launcher: LauncherHost = { kind: 'bubblewrap', bwrap, prlimit, etc, shared, cgroups }
  await tryBubblewrap(launcherOf(launcher))
  return { launcher, bwrap, notes }
}

type StepGroups = { runs: string | null; note?: string }

function openCgroupsFor(options: SandboxOptions): StepGroups {
  if (options.kind === 'process') return { runs: null }
  const opened = openCgroups(options.workDir)
  if ('runs' in opened) return opened
  if (options.requireCgroups)
    throw unavailable(
      'sandbox_unavailable',
      `Production needs cgroup v2, so that the kernel holds the memory of each run (${opened.missing}). ` +
        'Start the worker with Delegate=yes (systemd) or writable-cgroups=true (Docker 28): see docs/runbook.md',
    )
  const note = `No cgroup v2 (${opened.missing}): a watch holds the memory of runs, and ${cpuHolder()} their CPU`
  return { runs: null, note }
}

function cpuHolder(): string {
  if (openCpuGroup('runs') !== undefined) return 'a group of cgroup v1'
  if (!sharesBySession()) return 'nice'
  return 'nothing (set kernel.sched_autogroup_enabled to 0, so that nice has an effect on)'
}

/** With 1 (a kernel setting for debugging), processes of unreadable programs can be read and traced. */
function assertDumpsAreOff(): void {
  if (readFileSync('/proc/sys/fs/suid_dumpable', 'utf8').trim() !== '1') return
  const hint = 'set it to 0 (sysctl fs.suid_dumpable=0)'
  throw unavailable(
    'sandbox_unavailable',
    `fs.suid_dumpable is 1, so a provider could write into the engine's memory: ${hint}`,
  )
}

/** Checked at the start: a step would only show bwrap's own error, run after run. */
function assertReadable(folder: string, isRoot: boolean): void {
  for (let path = folder; ; path = dirname(path)) {
    const mode = statSync(path, { throwIfNoEntry: false })?.mode
    if (mode === undefined || (isRoot && (mode & 0o001) === 0))
      throw unavailable(
        'sandbox_unavailable',
        `${folder}, which runs are to read, cannot be entered by everybody: see the rights of ${path}`,
      )
    if (path === dirname(path)) return
  }
}

async function installAll(options: SandboxOptions): Promise<Partial<Record<Program, string>>> {
  const entries = Object.entries(options.programs).map(async ([name, source]) => [
    name,
    // A developer's machine needs no copy of each program per data directory.
    options.kind === 'process' && process.getuid?.() !== 0
      ? await realpath(source)
      : await installProgram(source, options.workDir),
  ])
  return Object.fromEntries(await Promise.all(entries))
}
