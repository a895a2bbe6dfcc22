import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import create from './fixtures/create.json' with { type: 'json' }
import destroy from './fixtures/destroy.json' with { type: 'json' }
import noOp from './fixtures/no-op.json' with { type: 'json' }
import replace from './fixtures/replace.json' with { type: 'json' }
import { redactPlan } from './redact-plan.ts'
import { testPlan } from './test-plan.ts'

const hash = (text: string) =>
  `hmac:${createHmac('sha256', 'key of a test').update(text).digest('hex').slice(0, 16)}`

describe('redactPlan of what OpenTofu printed', () => {
  test.each(Object.entries({ create, replace, destroy, noOp }))(
    '%s: no sensitive value is left anywhere',
    (_, plan) => {
      expect(JSON.stringify(plan)).toContain('hunter2-secret')
      const text = JSON.stringify(redactPlan(plan, hash))
      for (const secret of ['hunter2-secret', 'literal-password-1', 'default-secret-2'])
        expect(text).not.toContain(secret)
    },
  )

  test('each place has the same hash, and what is not sensitive stays', () => {
    const redacted = redactPlan(replace, hash)
    const secret = hash('hunter2-secret')
    expect(redacted).toMatchObject({
      format_version: '1.2',
      variables: { token: { value: secret }, rev: { value: '2' } },
      planned_values: { outputs: { token: { value: secret, sensitive: true } } },
      output_changes: { token: { before: secret, after: secret } },
      prior_state: { values: { outputs: { token: { value: secret } } } },
    })
    const changes = redacted['resource_changes'] as typeof replace.resource_changes
    expect(changes).toHaveLength(replace.resource_changes.length)
    expect(changes[2]).toMatchObject({
      address: 'terraform_data.each["a"]',
      change: {
        actions: ['update'],
        before: { input: { token: secret, size: 1 }, output: { token: secret, size: 1 } },
        after: { input: { token: secret, size: 5 } },
        after_unknown: { output: true },
      },
    })
  })

  test('literals of sensitive variables in the configuration, of called modules too', () => {
    expect(redactPlan(replace, hash)['configuration']).toMatchObject({
      root_module: {
        module_calls: {
          child: {
            expressions: {
              password: { constant_value: hash('literal-password-1') },
              label: { references: ['var.rev'] },
            },
            module: { variables: { hidden: { default: hash('default-secret-2') } } },
          },
        },
        variables: { rev: { default: '1' } },
      },
    })
  })
})

describe('redactPlan', () => {
  test('numbers, truth values, lists and objects become a hash; null stays', () => {
    const after = { pin: 7, on: true, list: ['a'], object: { b: 1, a: 2 }, none: null, open: 7 }
    const afterSensitive = { pin: true, on: true, list: true, object: true, none: true }
    const redacted = redactPlan(testPlan([{ actions: ['create'], after, afterSensitive }]), hash)
    expect(redacted).toMatchObject({
      resource_changes: [
        {
          change: {
            after: {
              pin: hash('7'),
              on: hash('true'),
              list: hash('["a"]'),
              object: hash('{"a":2,"b":1}'),
              none: null,
              open: 7,
            },
          },
        },
      ],
    })
  })

  test('one item of a list', () => {
    const change = {
      actions: ['create'],
      after: { a: ['x', 'y'] },
      afterSensitive: { a: [false, true] },
    }
    expect(redactPlan(testPlan([change]), hash)).toMatchObject({
      resource_changes: [{ change: { after: { a: ['x', hash('y')] } } }],
    })
  })

  test('a secret inside a longer text, and as the key of a map', () => {
    const after = {
      password: 'correct-horse',
      url: 'db://u:correct-horse@h',
      map: { 'correct-horse': 1 },
    }
    const change = { actions: ['create'], after, afterSensitive: { password: true } }
    expect(redactPlan(testPlan([change]), hash)).toMatchObject({
      resource_changes: [
        {
          change: {
            after: {
              url: `db://u:${hash('correct-horse')}@h`,
              map: { [hash('correct-horse')]: 1 },
            },
          },
        },
      ],
    })
  })

  test('types, addresses and names of attributes cannot be hidden by calling them secret', () => {
    const plan = testPlan([{ actions: ['create'], after: { instance_type: 'm5.large' } }], {
      variables: { a: { value: 'aws_instance' }, b: { value: 'instance_type' } },
      configuration: {
        root_module: { variables: { a: { sensitive: true }, b: { sensitive: true } } },
      },
    })
    expect(redactPlan(plan, hash)).toMatchObject({
      resource_changes: [
        { type: 'aws_instance', change: { after: { instance_type: 'm5.large' } } },
      ],
    })
  })

  test('variables that the workspace keeps as sensitive, and where they went', () => {
    const plan = testPlan([{ actions: ['create'], after: { user_data: 'workspace-secret' } }], {
      variables: { token: { value: 'workspace-secret' } },
    })
    const text = JSON.stringify(redactPlan(plan, hash, { sensitiveVariables: ['token'] }))
    expect(text).not.toContain('workspace-secret')
  })

  test('a short value is hashed where it is marked or declared, and only there', () => {
    const declared = { sensitive: true, default: 'abc', expression: { constant_value: 'abc' } }
    const output = { sensitive: true, value: 'abc' }
    const call = {
      expressions: { pin: { constant_value: 'abc' }, open: { constant_value: 'abc' } },
      module: { variables: { pin: declared } },
    }
    const plan = testPlan([{ actions: ['create'], after: { a: 'abc' } }], {
      variables: { pin: { value: 'abc' }, workspace: { value: 'abc' }, open: { value: 'abc' } },
      planned_values: { outputs: { pin: output }, root_module: {} },
      prior_state: { values: { outputs: { pin: output } } },
      configuration: {
        root_module: {
          variables: { pin: declared },
          outputs: { pin: declared },
          module_calls: { call },
        },
      },
    })
    const covered = hash('abc')
    const literal = { default: covered, expression: { constant_value: covered } }
    expect(redactPlan(plan, hash, { sensitiveVariables: ['workspace'] })).toMatchObject({
      resource_changes: [{ change: { after: { a: 'abc' } } }],
      variables: { pin: { value: covered }, workspace: { value: covered }, open: { value: 'abc' } },
      planned_values: { outputs: { pin: { value: covered } } },
      prior_state: { values: { outputs: { pin: { value: covered } } } },
      configuration: {
        root_module: {
          variables: { pin: literal },
          outputs: { pin: literal },
          module_calls: {
            call: {
              expressions: { pin: { constant_value: covered }, open: { constant_value: 'abc' } },
              module: { variables: { pin: literal } },
            },
          },
        },
      },
    })
  })

  test('the copy of a number', () => {
    const change = { actions: ['create'], after: { pin: 123_456, copy: 123_456, other: 22 } }
    expect(
      redactPlan(testPlan([{ ...change, afterSensitive: { pin: true } }]), hash),
    ).toMatchObject({
      resource_changes: [{ change: { after: { copy: hash('123456'), other: 22 } } }],
    })
  })

  test('credentials that are written into a provider block', () => {
    const constant = (value: string) => ({ constant_value: value })
    const expressions = {
      region: constant('eu-west-1'),
      secret_key: constant('abc'),
      assume_role: [{ external_id: constant('x'), session_token: constant('y') }],
    }
    const plan = testPlan([], {
      configuration: { provider_config: { aws: { name: 'aws', expressions } }, root_module: {} },
    })
    expect(redactPlan(plan, hash)['configuration']).toMatchObject({
      provider_config: {
        aws: {
          expressions: {
            region: constant('eu-west-1'),
            secret_key: constant(hash('abc')),
            assume_role: [{ session_token: constant(hash('y')) }],
          },
        },
      },
    })
  })

  test('drift and messages of checks', () => {
    const change = { actions: ['update'], before: { p: 'drifted-secret' }, after: { p: 'x' } }
    const drift = testPlan([{ ...change, beforeSensitive: { p: true } }])
    const plan = testPlan([], {
      resource_drift: drift['resource_changes'],
      checks: [{ instances: [{ problems: [{ message: 'got drifted-secret' }] }] }],
    })
    expect(JSON.stringify(redactPlan(plan, hash))).not.toContain('drifted-secret')
  })

  test('a part of the document that is not known is left out', () => {
    expect(redactPlan(testPlan([], { novelty: 'x' }), hash)).not.toHaveProperty('novelty')
  })

  const secrets = (value: (n: number) => string) => ({
    actions: ['create'],
    after: Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`a${n}`, value(n)])),
    afterSensitive: true,
  })

  test('of two secrets, one of which begins the other, the longer is replaced whole', () => {
    const after = {
      a: 'correct-horse',
      b: 'correct-horse-battery',
      url: 'u:correct-horse-battery@h',
    }
    const change = { actions: ['create'], after, afterSensitive: { a: true, b: true } }
    expect(redactPlan(testPlan([change]), hash)).toMatchObject({
      resource_changes: [{ change: { after: { url: `u:${hash('correct-horse-battery')}@h` } } }],
    })
  })

  test('thousands of secrets that begin alike take no long time in a large plan', () => {
    const after = { text: 'secret-value '.repeat(100_000) }
    const plan = testPlan([secrets((n) => `secret-value-${n}`), { actions: ['create'], after }])
    const start = performance.now()
    redactPlan(plan, hash)
    expect(performance.now() - start).toBeLessThan(3_000)
  })

  test('secrets made to be slow are searched for as quickly as others', () => {
    const after = { text: 'x'.repeat(1_000_000) }
    const plan = testPlan([secrets((n) => `${'x'.repeat(n + 8)}y`), { actions: ['create'], after }])
    const start = performance.now()
    expect(redactPlan(plan, hash)).toMatchObject({ resource_changes: [{}, { change: { after } }] })
    // Trying each secret at each place took over a billion comparisons.
    expect(performance.now() - start).toBeLessThan(10_000)
  })
})
