import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import type { Config } from '../../../config.ts'
import { createPolicyCompiler } from '../../../gateways/opa/create-policy-compiler.ts'
import type { OwnedSandbox } from '../../../gateways/sandbox/workbench.ts'

test('an organization has one of the two places, so that another need not wait for it', async () => {
  const opened: Array<() => void> = []
  const sandbox = {
    open: async () => new Promise((_, reject) => opened.push(() => reject(new Error('ended')))),
  } as unknown as OwnedSandbox
  const log = pino({ level: 'silent' })
  const compiler = createPolicyCompiler({} as Config, log, async () => sandbox)
  const own = Array.from({ length: 21 }, async () => compiler.check(1, 'package cloudcontrol'))
  const ends = Promise.allSettled(own)
  await vi.waitFor(() => expect(opened).toHaveLength(1))
  // Twenty wait.
  await expect(compiler.check(1, 'package cloudcontrol')).rejects.toMatchObject({ code: 'busy' })
  const other = compiler.check(2, 'package cloudcontrol')
  await vi.waitFor(() => expect(opened).toHaveLength(2))
  opened[1]?.()
  await expect(other).rejects.toThrow('ended')
  opened[0]?.()
  for (let begun = 2; begun < 22; begun += 1) {
    await vi.waitFor(() => expect(opened).toHaveLength(begun + 1))
    opened[begun]?.()
  }
  expect((await ends).every(({ status }) => status === 'rejected')).toBe(true)
})
