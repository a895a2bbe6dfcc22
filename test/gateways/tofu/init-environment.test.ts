import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { Step, StepEnd, Workbench } from '../../../gateways/sandbox/workbench.ts'
import { tofu } from '../../../gateways/tofu/tofu.ts'
import { certificateVariables, withCertificateCommand } from './certificate-command.ts'
import { tofuBench } from './tofu-bench.ts'

describe('what a step is given of the workspace’s environment', () => {
  const asked = { TF_VAR_a: 'b', AWS_ACCESS_KEY_ID: 'key', API_KEY: 'c', ...certificateVariables }
  const steps: Record<string, string[]> = {}
  let readOnlyInInit: readonly string[] = []
  let homeOfInit: string | undefined
  beforeAll(async () => {
    const run = async ({ args, env, readOnly = [] }: Step): Promise<StepEnd> => {
      const given = Object.keys(env).filter((name) => Object.keys(asked).includes(name))
      steps[args[0] ?? ''] = given
      if (args[0] === 'init') {
        readOnlyInInit = readOnly
        homeOfInit = env['HOME']
      }
      const stdout = Buffer.from('{"root_module":{"variables":{"a":{}}}}')
      return { how: 'exited', exitCode: 0, signal: null, stdout, stdoutBytes: stdout.length }
    }
    const bench = {
      inside: (path: string) => path,
      run,
      // What is not named here is not called.
    } as unknown as Workbench
    const tool = tofu({
      bench,
      token: 'token',
      env: asked,
      timeoutMs: 60_000,
      signal: AbortSignal.timeout(60_000),
      onLine: async () => undefined,
    })
    await tool.settleVariables({ 'terraform.tfvars': 'a = "file"\n' })
    steps['show -module'] = steps['show'] ?? []
    await tool.init({})
    await tool.plan({ destroy: false })
    await tool.show(undefined, { maxBytes: 1_024 })
    await tool.apply(() => undefined)
  })

  test.each(['init', 'show -module'])('%s: the allow-list', (step) => {
    expect(steps[step]).toEqual(['TF_VAR_a', 'AWS_ACCESS_KEY_ID', 'GOOGLE_OAUTH_ACCESS_TOKEN'])
  })

  test.each(['plan', 'apply'])('%s: all', (step) => {
    expect(steps[step]).toEqual(Object.keys(asked))
  })

  // Google's library reads a certificate's configuration there, and AWS's a `credential_process`.
  test('init cannot write its HOME', () => {
    expect(homeOfInit).toMatch(/./)
    expect(readOnlyInInit).toContain(homeOfInit)
  })

  test('show of a plan file: none', () => {
    expect(steps['show']).toEqual([])
  })
})

describe('the real OpenTofu', () => {
  let engine: Awaited<ReturnType<typeof tofuBench>>
  beforeAll(async () => {
    engine = await tofuBench(inject('tofuBin'))
  })
  afterAll(() => engine.close())

  // The client of Google's storage starts it before it asks the network for anything.
  test('init starts no program that a certificate’s configuration names', async () => {
    const env = { ...certificateVariables }
    const { bench, tool, lines } = await engine.run(withCertificateCommand('touch ran'), { env })
    const init = await tool.init({})
    expect(init.exitCode, lines.join('\n')).toBe(1)
    expect(await bench.read('config/ran', 1_000)).toBeUndefined()
    await bench.close()
  })
})
