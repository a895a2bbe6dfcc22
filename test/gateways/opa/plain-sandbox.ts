import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Sandbox, Step, StepEnd, Workbench } from '../../../gateways/sandbox/workbench.ts'

/** Runs steps as plain processes, for what OPA says; what it may reach is the sandbox's own test. */
export function plainSandbox(
  opa: string,
  maxTimeoutMs = Number.POSITIVE_INFINITY,
): Sandbox & { steps: Step[]; openCount: number } {
  const sandbox = {
    kind: 'process' as const,
    notes: [],
    steps: [] as Step[],
    openCount: 0,
    async open(): Promise<Workbench> {
      const root = await mkdtemp(join(tmpdir(), 'cc-opa-'))
      sandbox.openCount += 1
      return {
        stateUrl: '',
        proxyUrl: '',
        inside: (path) => join(root, path),
        async write(path, content) {
          await mkdir(dirname(join(root, path)), { recursive: true })
          await writeFile(join(root, path), content)
        },
        async makeFolder(path) {
          await mkdir(join(root, path), { recursive: true })
        },
        read: (path) => readFile(join(root, path)).catch(() => undefined),
        run(step) {
          sandbox.steps.push(step)
          const timeoutMs = Math.min(step.limits.timeoutMs, maxTimeoutMs)
          return runStep(opa, join(root, step.cwd), {
            ...step,
            limits: { ...step.limits, timeoutMs },
          })
        },
        async close() {
          sandbox.openCount -= 1
          await rm(root, { recursive: true, force: true })
        },
      }
    },
  }
  return sandbox
}

function runStep(program: string, cwd: string, step: Step): Promise<StepEnd> {
  const child = spawn(program, step.args, {
    cwd,
    env: { ...step.env },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const chunks: Buffer[] = []
  let bytes = 0
  let how: StepEnd['how'] = 'exited'
  const end = (why: StepEnd['how']) => {
    how = why
    child.kill('SIGKILL')
  }
  const timer = setTimeout(() => end('timed_out'), step.limits.timeoutMs)
  const cancel = () => end('canceled')
  step.signal?.addEventListener('abort', cancel)
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > (step.captureBytes ?? 0)) end('too_much_output')
    else chunks.push(chunk)
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (exitCode, signal) => {
      clearTimeout(timer)
      step.signal?.removeEventListener('abort', cancel)
      resolve({ how, exitCode, signal, stdout: Buffer.concat(chunks) })
    })
  })
}
