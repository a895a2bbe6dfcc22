import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export type PidEntry = { pid: number; stopSignal: NodeJS.Signals }

/** Notes a part's process, so that the next start can end it if this one is killed together with its leash. */
export function writePidFile(folder: string, part: string, entry: PidEntry): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const { pid, stopSignal } = entry
  writeFileSync(join(folder, `${part}.pid`), `${pid} ${stopSignal} ${startOf(pid)}\n`)
}

export function removePidFile(folder: string, part: string): void {
  rmSync(join(folder, `${part}.pid`), { force: true })
}

/** Ends what an earlier start left running. A number that now belongs to another process is left alone. */
export async function sweepPidFiles(folder: string, say: (line: string) => void): Promise<void> {
  await Promise.all(
    listPidFiles(folder).map(async (file) => {
      const words = readFileSync(join(folder, file), 'utf8').trim().split(' ')
      const pid = Number(words[0])
      const start = words.slice(2).join(' ')
      if (Number.isInteger(pid) && pid > 1 && start && startOf(pid) === start) {
        say(`${file.slice(0, -4)}: ending process ${pid}, left over from an earlier start`)
        // Written by this program, above.
        await endProcess(pid, words[1] as NodeJS.Signals)
      }
      rmSync(join(folder, file), { force: true })
    }),
  )
}

/** Asks, waits five seconds, then kills. */
export async function endProcess(pid: number, signal: NodeJS.Signals): Promise<void> {
  for (const next of [signal, 'SIGKILL'] as const) {
    send(pid, next)
    for (let turn = 0; turn < 100 && isAlive(pid); turn += 1) await sleep(50)
  }
}

/** A process that has ended and that nobody has asked about counts as gone. */
function isAlive(pid: number): boolean {
  return send(pid, 0) && !statOf(pid).startsWith('Z')
}

export function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

/** The command line of a process, its words joined by spaces; empty if it has ended. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ps(pid, 'command=')
  }
}

function listPidFiles(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.pid'))
  } catch {
    return []
  }
}

/** When the process began: with its number, that names one process on every POSIX system. */
function startOf(pid: number): string {
  // The 20th field after the name is the start in clock ticks.
  return statOf(pid).split(' ')[19] ?? ps(pid, 'lstart=')
}

/** Linux: the fields of /proc/<pid>/stat after the program's name, which may contain spaces. */
function statOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2)
  } catch {
    return ''
  }
}

function ps(pid: number, column: string): string {
  try {
    return execFileSync('ps', ['-ww', '-o', column, '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return ''
  }
}
