import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export type PidEntry = { pid: number; stopSignal: NodeJS.Signals }

/** Records a part's process, so that the next start can end it if supervisor and leash are killed. */
export function writePidFile(folder: string, part: string, entry: PidEntry): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const { pid, stopSignal } = entry
  writeFileSync(join(folder, `${part}.pid`), `${pid} ${stopSignal} ${startOf(pid)}\n`)
}

export function removePidFile(folder: string, part: string): void {
  rmSync(join(folder, `${part}.pid`), { force: true })
}

/** Ends processes that an earlier start left. A reused PID has another start time and is skipped. */
export async function sweepPidFiles(folder: string, say: (line: string) => void): Promise<void> {
  await Promise.all(
    listPidFiles(folder).map(async (file) => {
      const words = readFileSync(join(folder, file), 'utf8').trim().split(' ')
      const pid = Number(words[0])
      const start = words.slice(2).join(' ')
      if (Number.isInteger(pid) && pid > 1 && start && startOf(pid) === start) {
        say(`${file.slice(0, -4)}: ending process ${pid}, left over from an earlier start`)
        // Written by `writePidFile`.
        await endProcess(pid, words[1] as NodeJS.Signals)
      }
      rmSync(join(folder, file), { force: true })
    }),
  )
}

/** Sends the signal, waits up to five seconds, then sends SIGKILL. */
export async function endProcess(pid: number, signal: NodeJS.Signals): Promise<void> {
  for (const next of [signal, 'SIGKILL'] as const) {
    send(pid, next)
    for (let turn = 0; turn < 100 && isAlive(pid); turn += 1) await sleep(50)
  }
}

/** A zombie counts as ended. */
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

/** The command line of a process, joined by spaces. Empty if the process has ended. */
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

/** The start time of a process. PID and start time together identify a process, since PIDs are reused. */
function startOf(pid: number): string {
  // Field 22 of the file, the 20th after the program's name: the start time in clock ticks (proc(5)).
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
