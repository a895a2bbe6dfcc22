import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { coverInherited } from './cover-inherited.ts'
import { killUid } from './kill-uid.ts'
import { type Bench, type LaunchedStep, limitCommand, nicenessOfSteps } from './launch.ts'
import type { ProcessHost } from './launcher-host.ts'
import { lowerPriority } from './lower-priority.ts'
import type { Step } from './workbench.ts'

/** Starts a step with the limits that need no namespace. It sees the host, so it is for a developer's machine only. */
export function launchAsProcess(host: ProcessHost, bench: Bench, step: Step): LaunchedStep {
  const ownUid = bench.uid !== undefined
  const command = [
    // The step dies with the worker, also when that is killed.
    host.setpriv ? [host.setpriv, '--pdeathsig', 'KILL', '--'] : [],
    host.prlimit
      ? limitCommand(host.prlimit, step, { countsOwnUid: ownUid, hasCgroup: false })
      : [],
    [bench.program, ...step.args],
  ].flat()
  const child = spawn(command[0] ?? '', command.slice(1), {
    stdio: coverInherited(['pipe', 'pipe', 'pipe']),
    env: { ...step.env },
    cwd: `${bench.root}/${step.cwd}`,
    detached: true,
    ...(ownUid ? { uid: bench.uid, gid: bench.uid } : {}),
  })
  void lowerPriority(child.pid, nicenessOfSteps)
  const group = child.pid
  const signalGroup = (name: NodeJS.Signals | 0): boolean => {
    try {
      return group !== undefined && process.kill(-group, name)
    } catch {
      return false
    }
  }

  return {
    child,
    ...streamsOf(child),
    // setpriv and prlimit have become the program by then: it leads the group.
    async interrupt() {
      child.kill('SIGINT')
    },
    kill: () => void signalGroup('SIGKILL'),
    memoryBytes: async () => 0,
    outOfMemory: () => undefined,
    async gone() {
      // Processes that left the group still have the slot's uid.
      await killUid(bench.uid)
      while (signalGroup(0)) {
        signalGroup('SIGKILL')
        await sleep(2)
      }
    },
  }
}

/** All three were asked for as pipes. */
function streamsOf({ stdin, stdout, stderr }: ChildProcess) {
  if (!stdin || !stdout || !stderr) throw new Error('The step has no pipe')
  return { stdin, stdout, stderr }
}
