import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSandbox } from '../../../gateways/sandbox/create-sandbox.ts'
import type { OwnedSandbox, Sandbox, Step } from '../../../gateways/sandbox/workbench.ts'
import { workFolderFor } from '../../../gateways/sandbox/work-folder-for.ts'
import { findCommand } from '../../../gateways/sandbox/find-command.ts'

/** The real sandbox (bubblewrap if the host has it), which records the steps that ran in it. */
export async function opaSandbox(opa: string): Promise<OwnedSandbox & Recorder> {
  const dataDir = mkdtempSync(join(tmpdir(), 'cc-opa-'))
  const workDir = workFolderFor(dataDir)
  const sandbox = await createSandbox({
    kind: findCommand('bwrap') ? 'bubblewrap' : 'process',
    workDir,
    slots: 2,
    programs: { opa },
    apiUrl: 'http://127.0.0.1:9',
    outbound: { privateHosts: [] },
    log: { info: () => undefined, warn: () => undefined },
  })
  const recorded = record(sandbox)
  return Object.assign(recorded, {
    async close() {
      await sandbox.close()
      await rm(workDir, { recursive: true, force: true })
      await rm(dataDir, { recursive: true, force: true })
    },
  })
}

export type Recorder = {
  steps: Step[]
  openCount: number
  /** Shortens the time limit of the next steps, so that a test need not wait for the real limit. */
  maxTimeoutMs: number
}

function record(sandbox: Sandbox): Sandbox & Recorder {
  const recorder: Sandbox & Recorder = {
    kind: sandbox.kind,
    lend: async (options) => sandbox.lend(options),
    notes: sandbox.notes,
    memoryLimit: sandbox.memoryLimit,
    cgroups: sandbox.cgroups,
    steps: [],
    openCount: 0,
    maxTimeoutMs: Number.POSITIVE_INFINITY,
    async open(options) {
      const workbench = await sandbox.open(options)
      recorder.openCount += 1
      return {
        ...workbench,
        run(step) {
          recorder.steps.push(step)
          const timeoutMs = Math.min(step.limits.timeoutMs, recorder.maxTimeoutMs)
          return workbench.run({ ...step, limits: { ...step.limits, timeoutMs } })
        },
        async close() {
          recorder.openCount -= 1
          await workbench.close()
        },
      }
    },
  }
  return recorder
}
