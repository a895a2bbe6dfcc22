import { randomBytes } from 'node:crypto'
import { startOfProcess } from '../processes/start-of-process.ts'

/** The name of a file that this process writes into `parts/`, and which is removed once this process is dead. */
export async function partName(): Promise<string> {
  const start = await startOfProcess(process.pid)
  return `${process.pid}-${start}-${randomBytes(12).toString('hex')}`
}

/** Whether the process that gave the name still runs on this machine. */
export async function isOfLiving(name: string): Promise<boolean> {
  const [, pid, start] = /^(\d+)-(\d*)-/.exec(name) ?? []
  if (pid === undefined) return false
  const running = await startOfProcess(Number(pid))
  return running === '' ? isAlive(Number(pid)) : running === start
}

/** Where there is no /proc, or where it hides the processes of other users. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
