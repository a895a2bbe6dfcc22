import { readdir, readFile, readlink } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { sharedMemoryBytes } from './shared-memory.ts'

/** The process ids inside one bubblewrap sandbox, as the host sees them. */
export type PidNamespace = {
  interruptProgram(): Promise<void>
  kill(): void
  memoryBytes(): Promise<number>
  gone(): Promise<void>
}

/**
 * bwrap outside waits for bwrap inside, which is process 1 there and reaps; the program is process 2. SIGINT to
 * the group would only end bwrap, and with it everything at once. To let tofu save its state the signal must
 * go to process 2 itself.
 */
export function namespaceOf(info: Readable): PidNamespace {
  let first: number | undefined
  let text = ''
  info.on('data', (chunk: Buffer) => {
    text += chunk.toString()
    first ??= Number(/"child-pid": *(\d+)/.exec(text)?.[1]) || undefined
  })
  info.on('error', () => {})

  return {
    async interruptProgram() {
      // The program may not have been started yet.
      for (let tries = 0; tries < 50; tries += 1) {
        const program = first === undefined ? undefined : await findProgram(first)
        if (program !== undefined) return signal(program, 'SIGINT')
        await sleep(20)
      }
    },
    kill() {
      if (first !== undefined) signal(first, 'SIGKILL')
    },
    memoryBytes: async () => (first === undefined ? 0 : memoryBelow(first)),
    async gone() {
      // Process 1 of a namespace only becomes a zombie once all others in it are gone.
      if (first !== undefined) await ended(first)
    },
  }
}

async function findProgram(first: number): Promise<number | undefined> {
  const children = await readFile(`/proc/${first}/task/${first}/children`, 'utf8').catch(() => '')
  for (const pid of children.split(' ').filter(Boolean)) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
    if (/^NSpid:.*\t2$/m.test(status)) return Number(pid)
  }
  return undefined
}

/**
 * Before bwrap has changed its root, and after its pid was reused, this path is the host's own /proc: the
 * host's memory would then end an innocent step.
 */
async function memoryBelow(first: number): Promise<number> {
  const proc = `/proc/${first}/root/proc`
  if (!(await isItsOwn(first, proc))) return 0
  const bytes = await sumMemory(proc)
  return (await isItsOwn(first, proc)) ? bytes : 0
}

async function isItsOwn(first: number, proc: string): Promise<boolean> {
  const [ours, its, shown] = await Promise.all(
    ['/proc/self', `/proc/${first}`, `${proc}/1`].map(async (process) =>
      readlink(`${process}/ns/pid`).catch(() => undefined),
    ),
  )
  return its !== undefined && its === shown && its !== ours
}

/** Adds up each process's private memory and their shared memory, by the sandbox's /proc, which it cannot change. */
async function sumMemory(proc: string): Promise<number> {
  const pids = (await readdir(proc).catch(() => [])).filter((name) => /^\d+$/.test(name))
  const sizes = await Promise.all(pids.map(ownMemory))
  const own = sizes.reduce((sum, size) => sum + size, 0)
  return own + (await sharedMemoryBytes(proc, pids))

  async function ownMemory(pid: string): Promise<number> {
    const status = await readFile(`${proc}/${pid}/status`, 'utf8').catch(() => '')
    return Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024
  }
}

async function ended(pid: number): Promise<void> {
  while (await isRunning(pid)) await sleep(2)
}

async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  // The name in brackets may contain anything, so the state is what follows the last bracket.
  return stat !== undefined && !/^.*\) [ZX] /s.test(stat)
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended already.
  }
}
