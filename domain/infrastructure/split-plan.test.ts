import { describe, expect, test } from 'vitest'
import replace from './fixtures/replace.json' with { type: 'json' }
import type { SecretOptions } from './known-secrets.ts'
import { maxRowBytes, maxRows, splitPlan } from './split-plan.ts'
import { testPlan, type TestChange } from './test-plan.ts'

const rowsOf = (planJson: unknown, options: SecretOptions = {}) => {
  const rows = [...splitPlan(planJson, options).rows]
  return {
    rows,
    resources: rows.filter((row) => row.part === 'resource'),
    outputs: rows.filter((row) => row.part === 'output'),
    drift: rows.filter((row) => row.part === 'drift'),
  }
}
const attributesOf = (change: TestChange) =>
  rowsOf(testPlan([change])).resources[0]?.attributes ?? []
const nested = (levels: number, leaf: unknown = null): unknown => {
  let value = leaf
  for (let level = 0; level < levels; level += 1) value = [value]
  return value
}

describe('splitPlan of what OpenTofu printed', () => {
  const { resources, outputs } = rowsOf(replace)
  const resource = (address: string) => resources.find((entry) => entry.address === address)

  test('shows what changes and leaves out what does not', () => {
    expect(resources.map(({ address, actions }) => `${address} ${actions.join('+')}`)).toEqual([
      'terraform_data.counted[1] delete',
      'terraform_data.each["b"] delete',
      'terraform_data.replaced delete+create',
      'terraform_data.each["a"] update',
      'module.child.terraform_data.inner update',
      'terraform_data.each["c"] create',
    ])
    expect(splitPlan(replace).overview).toEqual({
      actions: { destroy: 2, replace: 1, update: 2, create: 1, read: 0, move: 0 },
      outputs: 2,
      drift: 0,
      imports: 0,
      omittedChanges: 0,
    })
    expect(splitPlan(replace).resourceTypes).toEqual(['terraform_data'])
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

describe('splitPlan', () => {
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
    const { resources } = rowsOf(plan, { sensitiveVariables: ['token'] })
    expect(resources[0]?.attributes[0]?.after).toBe('x=(sensitive value)')
  })

  test('a row is bounded in attributes, text and bytes, and says what it left out', () => {
    const after = (length: number) =>
      Object.fromEntries(Array.from({ length: 250 }, (_, n) => [`a${n}`, 'x'.repeat(length)]))
    const { resources } = rowsOf(
      testPlan([
        { actions: ['create'], after: after(100) },
        { actions: ['create'], after: after(2_000) },
        {
          address: `aws_instance.web["${'\u0001'.repeat(1e6)}"]`,
          actions: ['create'],
          after: after(2_000),
        },
      ]),
    )
    expect(resources.map((row) => [row.attributes.length, row.omittedAttributes])).toEqual([
      [200, 50],
      [60, 190],
      [54, 196],
    ])
    expect(resources[1]?.attributes[0]?.after).toBe(`${'x'.repeat(1_000)}…`)
    expect(resources[2]?.address).toHaveLength(1_001)
    for (const row of resources)
      expect(Buffer.byteLength(JSON.stringify(row))).toBeLessThanOrEqual(maxRowBytes)
  })

  test('what is taken away comes first, and keeps its attributes when their room is used up', () => {
    const after = Object.fromEntries(
      Array.from({ length: 60 }, (_, n) => [`a${n}`, 'x'.repeat(1_000)]),
    )
    const changes = Array.from({ length: 700 }, (_, n) =>
      n === 690
        ? { address: 'aws_instance.gone', actions: ['delete'], before: after }
        : { address: `aws_instance.web[${n}]`, actions: ['create'], after },
    )
    const { resources } = rowsOf(testPlan(changes))
    expect(resources).toHaveLength(700)
    expect(resources[0]).toMatchObject({ address: 'aws_instance.gone', omittedAttributes: 0 })
    expect(resources.at(-1)).toMatchObject({ attributes: [], omittedAttributes: 60 })
    expect(Buffer.byteLength(JSON.stringify(resources))).toBeLessThan(40 * 1_048_576)
  })

  test('more changes than rows are kept are counted', () => {
    const change = { address: 'aws_instance.web', actions: ['create'], after: {} }
    const plan = testPlan(Array.from({ length: maxRows + 3 }, () => change))
    expect(splitPlan(plan).overview.omittedChanges).toBe(3)
    expect(rowsOf(plan).rows).toHaveLength(maxRows)
  })

  test('what was changed outside of OpenTofu is a row of its own', () => {
    const plan = testPlan([], {
      resource_drift: testPlan([{ actions: ['update'], before: { a: 1 }, after: { a: 2 } }])[
        'resource_changes'
      ],
    })
    expect(splitPlan(plan).overview.drift).toBe(1)
    expect(rowsOf(plan).drift[0]?.attributes).toMatchObject([{ path: 'a', before: 1, after: 2 }])
  })

  test('values nested 200,000 deep are refused by name, and overflow no stack', () => {
    const split = (after: unknown) => () => rowsOf(testPlan([{ actions: ['create'], after }]))
    const refusal = 'The plan cannot be read: its values are nested deeper than 500 levels.'
    expect(split({ a: nested(200_000) })).toThrow(refusal)
    expect(split({ a: nested(400, 'x') })).not.toThrow()
    const outputs = { o: { actions: ['create'], after: nested(200_000) } }
    expect(() => rowsOf(testPlan([], { output_changes: outputs }))).toThrow(refusal)
  })

  test('the time is linear: a long key above many leaves, and many paths that force a replacement', () => {
    const key = 'K'.repeat(1e6)
    const leaves = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`l${n}`, n]))
    const replacePaths = Array.from({ length: 100_000 }, (_, n) => [key, `l${n}`])
    const begun = process.cpuUsage()
    const { resources } = rowsOf(
      testPlan([
        {
          actions: ['delete', 'create'],
          before: { [key]: {} },
          after: { [key]: leaves },
          changeFields: { replace_paths: replacePaths },
        },
      ]),
    )
    expect(resources[0]?.attributes[0]?.path).toBe(`${'K'.repeat(1_000)}…`)
    expect(resources[0]?.omittedAttributes).toBeGreaterThan(99_000)
    // Each leaf that copied the key took minutes together. This bound is far from both.
    expect(process.cpuUsage(begun).user / 1_000).toBeLessThan(10_000)
  })

  const both = { before: { size: 1 }, after: { size: 2 } }
  const importingOf = (importing: unknown, options: SecretOptions = {}) => {
    const plan = testPlan([{ actions: ['update'], ...both, changeFields: { importing } }])
    return rowsOf(plan, options).resources[0]?.importing
  }

  test('an import names the object, whatever else is done to it, and is counted', () => {
    const imported = { changeFields: { importing: { id: 'i-0abc' } } }
    const plan = testPlan([
      { actions: ['no-op'], before: {}, after: {}, ...imported },
      { actions: ['update'], ...both, ...imported },
      { actions: ['delete', 'create'], ...both, ...imported },
      { actions: ['update'], ...both },
    ])
    expect(rowsOf(plan).resources.map(({ actions, importing }) => [actions, importing])).toEqual([
      [['delete', 'create'], { id: 'i-0abc' }],
      [['update'], { id: 'i-0abc' }],
      [['update'], undefined],
      [['no-op'], { id: 'i-0abc' }],
    ])
    expect(splitPlan(plan).overview).toMatchObject({
      actions: { replace: 1, update: 2, move: 1 },
      imports: 3,
    })
  })

  test('an import by identity shows the identity as JSON', () => {
    const identity = { account: '123', name: 'logs' }
    expect(importingOf({ identity })).toEqual({ id: '{"account":"123","name":"logs"}' })
    expect(importingOf({})).toEqual({ id: '' })
  })

  test('what names the imported object is masked and cut as values are', () => {
    const secretValues = ['correct-horse']
    expect(importingOf({ id: 'u/correct-horse' }, { secretValues })).toEqual({
      id: 'u/(sensitive value)',
    })
    expect(importingOf({ identity: { token: 'correct-horse' } }, { secretValues })).toEqual({
      id: '{"token":"(sensitive value)"}',
    })
    expect(importingOf({ id: `${'x'.repeat(998)}\0${'y'.repeat(5_000)}` })).toEqual({
      id: `${'x'.repeat(998)}\uFFFDy…`,
    })
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
