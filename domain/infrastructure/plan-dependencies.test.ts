import { describe, expect, test } from 'vitest'
import destroy from './fixtures/destroy.json' with { type: 'json' }
import replace from './fixtures/replace.json' with { type: 'json' }
import { withoutKeys } from './configuration-graph.ts'
import { splitPlan } from './split-plan.ts'
import { testPlan } from './test-plan.ts'

type Blocks = Record<string, readonly string[]>

const resources = (blocks: Blocks) =>
  Object.entries(blocks).map(([address, references]) => ({
    address,
    expressions: { input: { references } },
  }))

const planOf = (addresses: readonly string[], root: object, rest = {}) =>
  testPlan(
    addresses.map((address) => ({ address, actions: ['create'], after: {} })),
    { configuration: { root_module: root }, ...rest },
  )

const edgesOf = (plan: unknown) =>
  Object.fromEntries(
    [...splitPlan(plan).rows].flatMap((row) =>
      row.part === 'resource' && row.dependsOn ? [[row.address, row.dependsOn]] : [],
    ),
  )

describe('which changes need which', () => {
  test('as OpenTofu prints it: what counts another’s instances needs it', () => {
    for (const plan of [replace, destroy])
      expect(edgesOf(plan)).toMatchObject({
        'terraform_data.replaced': ['terraform_data.counted'],
      })
  })

  test('keys of instances are no part of a block', () => {
    expect(withoutKeys('module.a["x.y\\"]"].aws_vpc.main[0]')).toBe('module.a.aws_vpc.main')
  })

  test('through variables and outputs of modules, and through what stays as it is', () => {
    const network = {
      resources: resources({
        'a_vpc.main': ['var.range'],
        'a_net.one': ['a_vpc.main.id', 'a_vpc.main'],
      }),
      outputs: { id: { expression: { references: ['a_net.one.id', 'a_net.one'] } } },
    }
    const root = {
      resources: resources({
        'a_range.all': [],
        'a_disk.kept': ['a_range.all'],
        'a_host.web': ['module.net.id', 'module.net', 'a_disk.kept.id', 'local.x', 'each.key'],
      }),
      module_calls: {
        net: { expressions: { range: { references: ['a_range.all.cidr'] } }, module: network },
      },
    }
    const addresses = [
      'a_range.all',
      'a_host.web[0]',
      'module.net["x"].a_vpc.main',
      'module.net["x"].a_net.one',
    ]
    expect(edgesOf(planOf(addresses, root))).toEqual({
      // The range is needed through the network.
      'a_host.web[0]': ['module.net.a_net.one'],
      'module.net["x"].a_net.one': ['module.net.a_vpc.main'],
      'module.net["x"].a_vpc.main': ['a_range.all'],
    })
    expect(edgesOf(planOf(['a_range.all', 'a_host.web'], root))).toEqual({
      'a_host.web': ['a_range.all'],
    })
  })

  test('by depends_on of a resource and of a module', () => {
    const root = {
      resources: [
        { address: 'a_key.k', expressions: {} },
        { address: 'a_log.l', depends_on: ['a_key.k'] },
      ],
      module_calls: {
        app: { depends_on: ['a_log.l'], module: { resources: resources({ 'a_host.h': [] }) } },
      },
    }
    expect(edgesOf(planOf(['a_key.k', 'a_log.l', 'module.app.a_host.h'], root))).toEqual({
      'a_log.l': ['a_key.k'],
      'module.app.a_host.h': ['a_log.l'],
    })
  })

  test('what is no longer in the configuration, by the state of before', () => {
    const values = {
      root_module: {
        resources: [
          { address: 'a_net.n[0]' },
          { address: 'a_host.h[0]', depends_on: ['a_net.n', 'a_vpc.gone'] },
        ],
      },
    }
    const plan = planOf(['a_net.n[0]', 'a_host.h[0]'], {}, { prior_state: { values } })
    expect(edgesOf(plan)).toEqual({ 'a_host.h[0]': ['a_net.n'] })
  })

  test('a value with a key "references" is a value', () => {
    const expressions = { input: { constant_value: { references: ['a_key.k'] } } }
    const root = { resources: [...resources({ 'a_key.k': [] }), { address: 'a_x.x', expressions }] }
    expect(edgesOf(planOf(['a_key.k', 'a_x.x'], root))).toEqual({})
  })

  test('loops end, and both edges of two that need each other stay', () => {
    const root = {
      resources: resources({ 'a_x.a': ['module.m.out'], 'a_x.b': ['a_x.a'], 'a_x.c': ['a_x.c'] }),
      module_calls: {
        m: {
          expressions: { in: { references: ['module.m.out', 'a_x.b'] } },
          module: { outputs: { out: { expression: { references: ['var.in'] } } } },
        },
      },
    }
    expect(edgesOf(planOf(['a_x.a', 'a_x.b', 'a_x.c'], root))).toEqual({
      'a_x.a': ['a_x.b'],
      'a_x.b': ['a_x.a'],
    })
  })

  test('a row names at most 50, and counts the rest', () => {
    const names = Array.from({ length: 80 }, (_, n) => `a_key.k${n}`)
    const root = {
      resources: resources({
        ...Object.fromEntries(names.map((name) => [name, []])),
        'a_x.x': names,
      }),
    }
    const [row] = [...splitPlan(planOf(['a_x.x', ...names], root)).rows]
    expect(row).toMatchObject({ address: 'a_x.x', omittedDependencies: 30 })
    expect(row?.part === 'resource' && row.dependsOn).toHaveLength(50)
  })

  test('an author’s worst configuration takes seconds at most', () => {
    const names = Array.from({ length: 3_000 }, (_, n) => `a_x.x${n}`)
    const root = { resources: resources(Object.fromEntries(names.map((name) => [name, names]))) }
    const begun = process.cpuUsage()
    expect([...splitPlan(planOf(names, root)).rows]).toHaveLength(3_000)
    expect(process.cpuUsage(begun).user / 1_000).toBeLessThan(15_000)
  })
})
