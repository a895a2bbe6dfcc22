import { readFileSync, readdirSync } from 'node:fs'

/** The runners of a worker: its child processes that run runner/main.ts. */
export function runnersOf(worker: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const parent = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
        return Number(parent) === worker && cmdlineOf(pid).includes('runner/main.ts')
      } catch {
        return false
      }
    })
}

/** The runners with a step as child process. The others are spare. */
export const busyRunnersOf = (worker: number): number[] =>
  runnersOf(worker).filter((pid) => childrenOf(pid).length > 0)

export const cmdlineOf = (pid: number): string => readFileSync(`/proc/${pid}/cmdline`, 'utf8')
export const environOf = (pid: number): string => readFileSync(`/proc/${pid}/environ`, 'utf8')

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)

export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

export const memoryOf = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024
