import { expect, test } from 'vitest'
import type { StepEnd, Workbench } from '../../../gateways/sandbox/workbench.ts'
import { tofu } from '../../../gateways/tofu/tofu.ts'

const files = { 'main.tf': 'variable "v" {}\n', 'terraform.tfvars': 'v = "file"\n' }
const declares = JSON.stringify({ root_module: { variables: { v: {} } } })

/** Settles with a workbench whose `tofu show` ends so. */
async function settle(end: Partial<StepEnd>) {
  const stdout = Buffer.from(declares)
  const ended = { how: 'exited', exitCode: 0, signal: null, stdout, stdoutBytes: 0, ...end }
  // What is not named here is not called.
  const bench = { inside: (path: string) => path, run: async () => ended } as unknown as Workbench
  const tool = tofu({
    bench,
    token: 'token',
    env: { TF_VAR_v: 'workspace' },
    timeoutMs: 60_000,
    signal: AbortSignal.timeout(60_000),
    onLine: async () => undefined,
  })
  return tool.settleVariables(files, ['v', 'typo'])
}

test('asked names that the configuration does not declare are returned', async () => {
  expect(await settle({})).toEqual(['typo'])
})

test('a configuration that OpenTofu cannot read is left to `init`', async () => {
  expect(await settle({ exitCode: 1 })).toEqual([])
})

// The files would otherwise override the variables of the workspace without a word.
test.each<[string, Partial<StepEnd>, object]>([
  [
    'more output than is read',
    { how: 'too_much_output', stdout: Buffer.alloc(0) },
    { fault: 'too_large', message: expect.stringContaining('tofu show wrote too much') },
  ],
  [
    'a full work folder',
    { how: 'killed', exitCode: null, signal: 'SIGKILL', limit: 'disk' },
    { fault: 'too_large', message: expect.stringContaining('its work folder is full') },
  ],
  [
    'too much memory',
    { how: 'killed', exitCode: null, signal: 'SIGKILL', limit: 'memory' },
    { reason: 'memory_exceeded' },
  ],
  [
    'another SIGKILL',
    { how: 'killed', exitCode: null, signal: 'SIGKILL' },
    { reason: 'runner_lost' },
  ],
  [
    'no time left',
    { how: 'timed_out', exitCode: null, signal: 'SIGKILL' },
    { reason: 'timed_out' },
  ],
  [
    'a fault of the program',
    { how: 'killed', exitCode: null, signal: 'SIGSEGV' },
    { fault: 'too_large' },
  ],
])('a reading that did not end by itself fails the run: %s', async (_, end, expected) => {
  await expect(settle(end)).rejects.toMatchObject(expected)
})
