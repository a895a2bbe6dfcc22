import { existsSync, mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSandbox } from '../../../gateways/sandbox/create-sandbox.ts'
import type { SandboxOptions } from '../../../gateways/sandbox/sandbox-options.ts'
import { workFolderFor } from '../../../gateways/sandbox/work-folder-for.ts'
import type {
  OpenOptions,
  OwnedSandbox,
  Step,
  StepEnd,
  Workbench,
} from '../../../gateways/sandbox/workbench.ts'

export const hasBwrap = existsSync('/usr/bin/bwrap')
export const isRoot = process.getuid?.() === 0
export const why = 'skipped: apt-get install bubblewrap'

export const limits: Step['limits'] = {
  timeoutMs: 20_000,
  silenceMs: 20_000,
  memoryBytes: 256 * 1024 * 1024,
  processes: 64,
  fileSizeBytes: 64 * 1024 * 1024,
}

export type ShellSandbox = {
  sandbox: OwnedSandbox
  dataDir: string
  workDir: string
  open(options?: Partial<OpenOptions>): Promise<Workbench>
  close(): Promise<void>
}

/** A sandbox whose `tofu` is bash, so that a test can run attacks from inside the sandbox. */
export async function shellSandbox(options: Partial<SandboxOptions> = {}): Promise<ShellSandbox> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sandbox-test-'))
  const workDir = workFolderFor(dataDir)
  const sandbox = await createSandbox({
    kind: 'bubblewrap',
    workDir,
    slots: 4,
    programs: { tofu: '/bin/bash', sh: '/bin/sh' },
    apiUrl: 'http://127.0.0.1:9',
    outbound: { privateHosts: [] },
    log: { info() {}, warn() {} },
    graceMs: 500,
    ...options,
  })
  const opened: Workbench[] = []
  return {
    sandbox,
    dataDir,
    workDir,
    async open({ sizeBytes = 16 * 1024 * 1024, ...more } = {}) {
      const workbench = await sandbox.open({ label: 'test', sizeBytes, ...more })
      opened.push(workbench)
      return workbench
    },
    async close() {
      await sandbox.close()
      await rm(workDir, { recursive: true, force: true })
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** Runs a bash script in this workbench and returns its output as `text`. */
export async function sh(
  workbench: Workbench,
  script: string,
  step: Partial<Step> = {},
): Promise<StepEnd & { text: string }> {
  const lines: string[] = []
  const end = await workbench.run({
    program: 'tofu',
    args: ['-c', script],
    env: { PATH: '/usr/bin:/usr/sbin' },
    cwd: '',
    network: 'none',
    limits,
    onLine: (_stream, line) => void lines.push(line),
    ...step,
  })
  return { ...end, text: lines.join('\n') }
}
