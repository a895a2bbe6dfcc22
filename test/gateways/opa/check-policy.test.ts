import { afterAll, beforeAll, describe, expect, test, inject, vi } from 'vitest'
import { checkPolicy } from '../../../gateways/opa/check-policy.ts'
import { opaSandbox } from './opa-sandbox.ts'

const opa = inject('opaBin')

describe('checkPolicy', () => {
  let sandbox: Awaited<ReturnType<typeof opaSandbox>>
  beforeAll(async () => {
    sandbox = await opaSandbox(opa)
  })
  afterAll(() => sandbox.close())
  const check = (...lines: string[]) => checkPolicy(sandbox, lines.join('\n'))
  const refusal = (line: number, column: number, message: string | RegExp) => ({
    ok: false,
    errors: [{ line, column, message: expect.stringMatching(message) }],
  })

  test('takes deny and warn as sets, helpers, and import rego.v1', async () => {
    expect(
      await check(
        'package cloudcontrol',
        'import rego.v1',
        'limit := 3',
        'is_big(n) if n > limit',
        'deny contains msg if { is_big(input.cost.after); msg := "too big" }',
        'warn contains {"msg": "look"} if input.x',
      ),
    ).toEqual({ ok: true })
  })

  test.each([
    ['http.send', 'http.send({"method": "get", "url": "x"})'],
    ['opa.runtime', 'opa.runtime()'],
    ['net.lookup_ip_addr', 'net.lookup_ip_addr("example.org")'],
    ['net.cidr_contains', 'net.cidr_contains("10.0.0.0/8", "10.1.1.1")'],
  ])('refuses %s with its line and column', async (name, call) => {
    expect(await check('package cloudcontrol', '', `deny contains ${call}`)).toEqual(
      refusal(3, 15, `undefined function ${name}`),
    )
  })

  test('names every type error', async () => {
    const result = await check(
      'package cloudcontrol',
      'deny contains nope(1)',
      'warn contains msg if { msg := never(2) }',
    )
    expect(result).toMatchObject({ ok: false, errors: [{ line: 2 }, { line: 3 }] })
  })

  test('names the place of a syntax error, also at the end of the file', async () => {
    expect(await check('package cloudcontrol', 'deny contains x if {', '  x := 1')).toEqual(
      refusal(3, expect.any(Number) as number, /./),
    )
    expect(await check('')).toEqual(refusal(1, 1, 'empty module'))
  })

  test('refuses the syntax before Rego 1', async () => {
    const result = await check('package cloudcontrol', 'deny[msg] { msg := "x" }')
    expect(result).toMatchObject({ ok: false })
    expect(result.ok ? [] : result.errors).toContainEqual({
      line: 2,
      column: 1,
      message: expect.stringContaining('`if` keyword'),
    })
  })

  test.each([['main'], ['cloudcontrol.deny'], ['cloudcontrols']])(
    'refuses package %s',
    async (name) => {
      expect(await check('# a comment', `package ${name}`, 'deny contains "x"')).toEqual(
        refusal(2, 9, 'package must be named cloudcontrol'),
      )
    },
  )

  test('refuses a policy that can never return a message', async () => {
    expect(await check('package cloudcontrol', 'denied contains "x"')).toEqual(
      refusal(1, 1, 'no rule'),
    )
  })

  test.each([
    ['deny[msg] if { msg := "x" }'],
    ['default deny := false'],
    ['deny := true if input.x'],
    ['deny(x) := x'],
    ['deny.reason contains "x"'],
  ])('refuses a deny that is no set: %s', async (rule) => {
    expect(await check('package cloudcontrol', 'warn contains "y"', rule)).toEqual(
      refusal(3, 1, '`deny` must be a set of messages'),
    )
  })

  test('refuses a policy that is too long without starting a program', async () => {
    const before = sandbox.steps.length
    expect(await checkPolicy(sandbox, 'x'.repeat(200_000))).toEqual(refusal(1, 1, 'longer than'))
    expect(sandbox.steps).toHaveLength(before)
  })

  const rules = (of: (index: number) => string) => {
    let text = 'package cloudcontrol\n'
    for (let index = 0; text.length < 130_000; index += 1) text += of(index)
    return text
  }

  test('128 KiB of rules pass, and no syntax tree is parsed in this process', async () => {
    const parse = vi.spyOn(JSON, 'parse')
    const rego = rules(
      (index) => `deny contains msg if {
  some change in input.plan.resource_changes
  change.type == "aws_instance_${index}"
  not change.change.after.tags.owner
  msg := sprintf("%s needs a tag owner", [change.address])
}
`,
    )
    expect(await checkPolicy(sandbox, rego)).toEqual({ ok: true })
    const lengths = parse.mock.calls.map(([text]) => text.length)
    parse.mockRestore()
    expect(Math.max(...lengths)).toBeLessThan(100_000)
  })

  test('lists the first 20 of many faults, and none where the errors are megabytes', async () => {
    const faulty = await checkPolicy(
      sandbox,
      rules((index) => `deny := ${index} if { input.n == ${index}; input.more[_] == "x" }\n`),
    )
    expect(faulty).toMatchObject({ ok: false, errors: { length: 20, 19: { line: 21, column: 1 } } })
    const old = await checkPolicy(
      sandbox,
      rules(() => 'd[x]{1}\n'),
    )
    expect(old).toEqual(refusal(1, 1, 'more errors than can be listed'))
  })

  test('runs without network, never with Rego on the command line, and leaves nothing', () => {
    expect(sandbox.steps.every((step) => step.network === 'none')).toBe(true)
    expect(sandbox.steps.some((step) => step.args.join(' ').includes('package'))).toBe(false)
    expect(sandbox.openCount).toBe(0)
  })
})
