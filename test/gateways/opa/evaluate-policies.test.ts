import { afterAll, beforeAll, describe, expect, test, inject } from 'vitest'
import { evaluatePolicies, type Policy } from '../../../gateways/opa/evaluate-policies.ts'
import { opaSandbox } from './opa-sandbox.ts'

const opa = inject('opaBin')

const mask = (text: string) => text.replaceAll('hunter-secret-2', '[masked]')

describe('evaluatePolicies', () => {
  let sandbox: Awaited<ReturnType<typeof opaSandbox>>
  beforeAll(async () => {
    sandbox = await opaSandbox(opa)
  })
  afterAll(() => sandbox.close())
  let id = 0
  const policy = (...lines: string[]): Policy => {
    id += 1
    const rego = ['package cloudcontrol', ...lines].join('\n')
    return { id, name: `policy-${id}`, rego, enforcement: 'mandatory' }
  }
  const say = async (rego: string, input: unknown = {}) => {
    const results = await evaluatePolicies(sandbox, { mask, policies: [policy(rego)], input })
    return results[0]
  }

  test('gives the messages of deny and warn about the input', async () => {
    const types = policy(
      'deny contains msg if {',
      '  some change in input.plan.resource_changes',
      '  change.type == "aws_instance"',
      '  msg := sprintf("no %s in %s", [change.address, input.workspace.name])',
      '}',
      'warn contains "costly" if input.cost.delta > 10.5',
    )
    const input = {
      plan: { resource_changes: [{ type: 'aws_instance', address: 'aws_instance.a' }] },
      workspace: { name: 'shop' },
      cost: { delta: 10.51 },
    }
    expect(await evaluatePolicies(sandbox, { mask, policies: [types], input })).toEqual([
      {
        policyId: types.id,
        name: types.name,
        enforcement: 'mandatory',
        deny: ['no aws_instance.a in shop'],
        warn: ['costly'],
      },
    ])
  })

  test('keeps policies of one package apart, in their order', async () => {
    const policies = [
      policy('limit := 1', 'deny contains sprintf("%d", [limit])'),
      policy('limit := 2', 'deny contains sprintf("%d", [limit])'),
      policy('deny contains "never" if input.none', 'warn contains "w" if data.cloudcontrol.limit'),
    ]
    const results = await evaluatePolicies(sandbox, { mask, policies, input: {} })
    expect(results.map(({ deny, warn, error }) => ({ deny, warn, error }))).toEqual([
      { deny: ['1'], warn: [], error: undefined },
      { deny: ['2'], warn: [], error: undefined },
      { deny: [], warn: [], error: undefined },
    ])
  })

  test('a runtime error names its place, and the next policy is still evaluated', async () => {
    const policies = [
      policy('deny contains msg if { msg := 1 / input.zero }'),
      policy('deny contains "b"'),
    ]
    const [broken, next] = await evaluatePolicies(sandbox, { mask, policies, input: { zero: 0 } })
    expect(broken).toMatchObject({ deny: [], warn: [] })
    expect(broken?.error).toMatch(/^line 2, column \d+: div: divide by zero$/)
    expect(next).toMatchObject({ deny: ['b'] })
  })

  test.each([
    ['does not compile', 'deny contains http.send({})', /undefined function http\.send/],
    ['has another package', 'package other\ndeny contains "x"', /./],
    ['says nothing of the two', 'denied contains "x"', /neither/],
    ['has a deny that is no set', 'deny := "x"', /sets of messages/],
    ['disagrees with itself', 'deny := "x"\ndeny := "y"', /conflicting/],
  ])('an error where the policy %s', async (_, rego, message) => {
    expect((await say(rego))?.error).toMatch(message)
  })

  test('an error if a policy takes longer than 10 s', async () => {
    sandbox.maxTimeoutMs = 300
    const range = 'r := numbers.range(1, 9999)'
    const loop = 'deny contains "x" if { some a in r; some b in r; some c in r; a + b + c < 0 }'
    const policies = [policy(range, loop)]
    const [late] = await evaluatePolicies(sandbox, { mask, policies, input: {} }).finally(() => {
      sandbox.maxTimeoutMs = Number.POSITIVE_INFINITY
    })
    expect(late?.error).toMatch(/within 10 s/)
    expect(sandbox.steps.at(-1)?.limits).toMatchObject({
      timeoutMs: 10_000,
      memoryBytes: 2 ** 29,
    })
  })

  test(
    'an error where a policy needs more memory than it may have',
    { timeout: 30_000 },
    async () => {
      const wide = '[sprintf("%0900000d", [n]) | some n in numbers.range(1, 2000)]'
      const said = await say(`deny contains sprintf("%d", [count(${wide})])`)
      expect(said?.error).toMatch(/512 MiB of memory/)
    },
  )

  test('a plan just below its limit of 32 MiB is judged', { timeout: 120_000 }, async () => {
    const change = {
      type: 'aws_instance',
      change: { actions: ['create'], after: { a: 1, b: 'x' } },
    }
    const resource_changes = Array.from({ length: 330_000 }, (_, n) => ({
      ...change,
      name: `n${n}`,
    }))
    const said = await say(
      'deny contains "never" if input.plan.resource_changes[_].type == "none"',
      {
        plan: { resource_changes },
      },
    )
    expect(said).toMatchObject({ deny: [], warn: [] })
    expect(said?.error).toBeUndefined()
  })

  test('a message that is not text is returned as JSON; of an object with `msg`, the `msg`', async () => {
    const said = await say(
      'deny contains x if some x in [1, true, {"a": [1]}, {"msg": "m", "n": 1}]',
    )
    expect(said?.deny.toSorted()).toEqual(['1', 'm', 'true', '{"a":[1]}'])
  })

  test('limits the number and length of messages, and removes characters that Postgres refuses', async () => {
    const said = await say(
      [
        'deny contains sprintf("%d", [n]) if some n in numbers.range(1, 500)',
        'warn contains concat("", [x | some n in numbers.range(1, 2000); x := "é"])',
        String.raw`warn contains "a\u0000b"`,
      ].join('\n'),
    )
    expect(said?.deny).toHaveLength(100)
    expect(said?.deny.at(-1)).toBe('… and 401 more')
    expect(said?.warn.map((message) => message.length).toSorted()).toEqual([1_000, 3])
    expect(said?.warn).toContain('a\uFFFDb')
  })

  test('no policies: no program is started', async () => {
    const before = sandbox.steps.length
    expect(await evaluatePolicies(sandbox, { mask, policies: [], input: {} })).toEqual([])
    expect(sandbox.steps).toHaveLength(before)
  })

  test('a cancel ends the evaluation and is thrown', async () => {
    const controller = new AbortController()
    const asked = evaluatePolicies(sandbox, {
      mask,
      policies: [policy('deny contains "x"')],
      input: {},
      signal: controller.signal,
    })
    controller.abort(new Error('stopped'))
    await expect(asked).rejects.toThrow('stopped')
  })

  test('leaves no workbench open', () => {
    expect(sandbox.openCount).toBe(0)
  })

  test('masks messages of a policy, also where a message is cut and in an error', async () => {
    const input = { secret: 'hunter-secret-2', long: 'a'.repeat(990) }
    const told = await say(
      [
        'warn contains json.marshal({"s": input.secret})',
        'deny contains sprintf("%s%s", [input.long, input.secret])',
      ].join('\n'),
      input,
    )
    expect(told?.warn[0]).toContain('[masked]')
    // A message is masked before it is cut, because the mask would not recognize half of a secret.
    expect(JSON.stringify(told)).not.toContain('hunter')
    const broken = await say('deny contains "x" if to_number(input.secret) > 1', input)
    expect(broken?.error).toBeDefined()
    expect(JSON.stringify(broken)).not.toContain('hunter')
  })
})
