import { describe, expect, test } from 'vitest'
import replace from './fixtures/replace.json' with { type: 'json' }
import { presentPlan } from './present-plan.ts'
import { testPlan, type TestChange } from './test-plan.ts'

const attributesOf = (change: TestChange) =>
  presentPlan(testPlan([change])).resources[0]?.attributes ?? []

describe('presentPlan of what OpenTofu printed', () => {
  const { resources, outputs } = presentPlan(replace)
  const resource = (address: string) => resources.find((entry) => entry.address === address)

  test('shows what changes and leaves out what does not', () => {
    expect(resources.map(({ address, actions }) => `${address} ${actions.join('+')}`)).toEqual([
      'terraform_data.counted[1] delete',
      'terraform_data.each["a"] update',
      'terraform_data.each["b"] delete',
      'terraform_data.each["c"] create',
      'terraform_data.replaced delete+create',
      'module.child.terraform_data.inner update',
    ])
    expect(resource('module.child.terraform_data.inner')?.module).toBe('module.child')
    expect(resource('terraform_data.each["c"]')).toMatchObject({ index: 'c', name: 'each' })
  })

  test('says why something is replaced, and by which attribute', () => {
    const replaced = resource('terraform_data.replaced')
    expect(replaced?.replaceReason).toBe('replace_because_cannot_update')
    expect(replaced?.attributes).toContainEqual({
      path: 'triggers_replace',
      before: '1',
      after: '2',
      sensitive: false,
      unknown: false,
      forcesReplacement: true,
    })
  })

  test('an attribute known only later says so', () => {
    expect(resource('terraform_data.each["c"]')?.attributes).toContainEqual({
      path: 'id',
      before: null,
      after: '(known after apply)',
      sensitive: false,
      unknown: true,
    })
  })

  test('no sensitive value is in it, nor its copy in an attribute without a mark', () => {
    const text = JSON.stringify({ resources, outputs })
    expect(text).not.toContain('hunter2-secret')
    expect(text).not.toContain('literal-password-1')
    expect(resource('terraform_data.each["b"]')?.attributes).toContainEqual({
      path: 'output.token',
      before: '(sensitive value)',
      after: null,
      sensitive: true,
      unknown: false,
    })
  })

  test('outputs that change', () => {
    expect(outputs.map(({ name, attributes }) => [name, attributes[0]?.after])).toEqual([
      ['id', '(known after apply)'],
      ['rev', '2'],
    ])
  })
})

describe('presentPlan', () => {
  test('a change of a sensitive value shows that it changes', () => {
    const change = { before: { pin: 1 }, after: { pin: 2 }, actions: ['update'] }
    const marks = { beforeSensitive: { pin: true }, afterSensitive: { pin: true } }
    expect(attributesOf({ ...change, ...marks })).toEqual([
      {
        path: 'pin',
        before: '(sensitive value)',
        after: '(sensitive value)',
        sensitive: true,
        unknown: false,
      },
    ])
  })

  test('a value that stops being sensitive is masked on both sides', () => {
    const change = { before: { pin: '1' }, after: { pin: '2' }, actions: ['update'] }
    expect(attributesOf({ ...change, beforeSensitive: { pin: true } })).toMatchObject([
      { before: '(sensitive value)', after: '(sensitive value)' },
    ])
  })

  test('marks hold below the depth that is walked', () => {
    const nest = (leaf: unknown): unknown =>
      Array.from({ length: 12 }).reduce((inner) => ({ k: inner }), leaf)
    const change = { actions: ['create'], after: nest('xyz'), afterSensitive: nest(true) }
    const [attribute] = attributesOf(change)
    expect(attribute?.path.split('.')).toHaveLength(8)
    expect(attribute?.after).toBe('{"k":{"k":{"k":{"k":"(sensitive value)"}}}}')
  })

  test('a secret inside a longer text is masked there', () => {
    const after = { password: 'correct-horse', url: 'db://u:correct-horse@h' }
    const shown = attributesOf({ actions: ['create'], after, afterSensitive: { password: true } })
    expect(shown.map((attribute) => attribute.after)).toEqual([
      '(sensitive value)',
      'db://u:(sensitive value)@h',
    ])
  })

  test('variables that the workspace keeps as sensitive are masked where they went', () => {
    const plan = testPlan([{ actions: ['create'], after: { user_data: 'x=workspace-secret' } }], {
      variables: { token: { value: 'workspace-secret' } },
    })
    const { resources } = presentPlan(plan, { sensitiveVariables: ['token'] })
    expect(resources[0]?.attributes[0]?.after).toBe('x=(sensitive value)')
  })

  test('is bounded in resources, attributes and length of text, and says what it left out', () => {
    const after = Object.fromEntries(
      Array.from({ length: 250 }, (_, n) => [`a${n}`, 'x'.repeat(2_000)]),
    )
    const changes = Array.from({ length: 1_200 }, (_, n) => ({
      address: `aws_instance.web[${n}]`,
      actions: ['create'],
      after: n === 0 ? after : { a: 1 },
    }))
    const { resources, omittedResources } = presentPlan(testPlan(changes))
    expect([resources.length, omittedResources]).toEqual([1_000, 200])
    expect(resources[0]?.attributes).toHaveLength(200)
    expect(resources[0]?.omittedAttributes).toBe(50)
    expect(resources[0]?.attributes[0]?.after).toHaveLength(1_001)
  })

  test('what a long plan leaves out is never what it takes away', () => {
    const changes = Array.from({ length: 1_500 }, (_, n) => ({
      address: `aws_instance.web[${n}]`,
      actions: n === 1_400 ? ['delete', 'create'] : n === 1_450 ? ['delete'] : ['create'],
      before: n < 1_400 ? null : { a: 1 },
      after:
        n === 1_450 ? null : Object.fromEntries(Array.from({ length: 20 }, (_one, k) => [k, k])),
    }))
    const { resources, omittedResources } = presentPlan(testPlan(changes))
    expect([resources.length, omittedResources]).toEqual([1_000, 500])
    // In the plan's own order, and with what differs: the room goes to them first.
    expect(
      resources.slice(-2).map(({ address, attributes }) => [address, attributes.length > 0]),
    ).toEqual([
      ['aws_instance.web[1400]', true],
      ['aws_instance.web[1450]', true],
    ])
  })

  test('holds nothing that Postgres refuses in a jsonb', () => {
    const after = { a: 'x\0y', b: `${'x'.repeat(999)}😀` }
    const [a, b] = attributesOf({ actions: ['create'], after })
    expect(a?.after).toBe('x\uFFFDy')
    expect(String(b?.after).isWellFormed()).toBe(true)
  })

  test('a key such as __proto__ is shown like any other', () => {
    const after: unknown = JSON.parse('{"tags":{"__proto__":{"a":"b"},"constructor":"c"}}')
    expect(attributesOf({ actions: ['create'], after }).map(({ path }) => path)).toEqual([
      'tags.__proto__.a',
      'tags.constructor',
    ])
  })
})
