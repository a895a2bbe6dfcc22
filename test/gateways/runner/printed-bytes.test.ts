import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runnerPool, type RunnerPool } from '../../../gateways/runner/runner-pool.ts'
import { superviseJob } from '../../../gateways/runner/supervise-job.ts'
import { workbenchFrom } from '../../../gateways/sandbox/workbench-from.ts'
import { hasBwrap, shellSandbox, why, type ShellSandbox } from '../sandbox/shell-sandbox.ts'

// A real runner that reads what a real step prints.
describe.skipIf(!hasBwrap)(`the memory of a runner (${why})`, () => {
  let shell: ShellSandbox
  let runners: RunnerPool
  beforeAll(async () => {
    shell = await shellSandbox({ onDisk: true })
    runners = runnerPool({
      entry: fileURLToPath(new URL('../../../runner/main.ts', import.meta.url)),
      memoryBytes: 512 * 1024 ** 2,
      cgroups: shell.sandbox.cgroups,
    })
  })
  afterAll(async () => {
    await runners?.close()
    await shell?.close()
  })

  /** The most memory that the process had, and what it has now. */
  const memoryOf = (pid: number): { most: number; now: number } | undefined => {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8')
      const bytes = (name: string) =>
        Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024
      const [most, now] = [bytes('VmHWM'), bytes('VmRSS')]
      return now > 0 ? { most, now } : undefined
    } catch {
      return undefined
    }
  }

  test('a step that prints 300 MB adds at most 64 MB, and all of its lines are counted', async () => {
    const loan = await shell.sandbox.lend({ label: 'printed-bytes', sizeBytes: 16 * 1024 ** 2 })
    await workbenchFrom(loan.grant, async () => {}).makeFolder('source')
    const runner = runners.take()
    let before = 0
    let most = 0
    const lines: string[] = []
    const look = setInterval(() => (most = memoryOf(runner.pid)?.most ?? most), 50)
    try {
      await superviseJob(runner, {
        job: {
          kind: 'build',
          timeoutMs: 60_000,
          limits,
          isOnline: false,
          tools: [],
          folder: 'source',
          env: {},
        },
        inputs: steps('yes $(printf %0999d 0) | head -c 300000000'),
        signal: new AbortController().signal,
        answers: {
          async bench() {
            before = memoryOf(runner.pid)?.now ?? 0
            return { bench: 1, grant: loan.grant }
          },
          giveBack: async () => ({}),
        },
        onLog: async (batch) => void lines.push(...batch.map(({ line }) => line)),
        async onBlob() {},
      })
    } finally {
      clearInterval(look)
      await loan.close({ lost: true })
    }
    expect(before).toBeGreaterThan(0)
    expect(most - before).toBeLessThan(64 * 1024 ** 2)
    const left = Number(
      /… (\d+) lines/.exec(lines.find((line) => line.includes('left out here')) ?? '')?.[1],
    )
    // Beside them the line that names the step, and the one that counts.
    expect(left + lines.length - 2).toBe(300_000)
  }, 90_000)
})

const limits = {
  memoryBytes: 256 * 1024 ** 2,
  silenceMs: 30_000,
  processes: 32,
  fileSizeBytes: 1024 ** 2,
  printedBytes: 1024 ** 3,
}

async function* steps(run: string) {
  const step = { name: 'print', run, workdir: '.', env: {}, timeoutMs: 60_000 }
  yield {
    name: 'build',
    bytes: Buffer.from(JSON.stringify({ steps: [step], variables: {}, secrets: [] })),
    last: true,
  }
}
