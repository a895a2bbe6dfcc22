import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Notes a part's process, so that the next start can end it if this one is killed together with its leash. */
export function writePidFile(folder: string, part: string, pid: number): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, `${part}.pid`), `${pid} ${startOf(pid)}\n`)
}

export function removePidFile(folder: string, part: string): void {
  rmSync(join(folder, `${part}.pid`), { force: true })
}

/** Ends what an earlier start left running. A number that now belongs to another process is left alone. */
export async function sweepPidFiles(folder: string, say: (line: string) => void): Promise<void> {
  for (const file of listPidFiles(folder)) {
    const [pidText = '', ...rest] = readFileSync(join(folder, file), 'utf8').trim().split(' ')
    const pid = Number(pidText)
    const start = rest.join(' ')
    if (Number.isInteger(pid) && pid > 1 && start && startOf(pid) === start) {
      say(`${file.slice(0, -4)}: ending process ${pid}, left over from an earlier start`)
      await endProcess(pid, 'SIGTERM')
    }
    rmSync(join(folder, file), { force: true })
  }
}

/** Asks, waits five seconds, then kills. */
export async function endProcess(pid: number, signal: NodeJS.Signals): Promise<void> {
  send(pid, signal)
  for (let turn = 0; turn < 100 && send(pid, 0); turn += 1) await sleep(50)
  send(pid, 'SIGKILL')
  for (let turn = 0; turn < 100 && send(pid, 0); turn += 1) await sleep(50)
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
  try {
    // The name of the program, field 2, may contain spaces; the 20th field after it is the start in clock ticks.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    return ps(pid, 'lstart=')
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
