import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import {
  compareOptions,
  comparePlanFile,
  readPlanFile,
} from '../../../gateways/tofu/plan-file/compare-plan-file.ts'
import { compareState } from '../../../gateways/tofu/plan-file/compare-state.ts'
import { PlanForged, PlanTooLarge } from '../../../gateways/tofu/plan-file/plan-forged.ts'
import { readTfplan } from '../../../gateways/tofu/plan-file/read-tfplan.ts'
import { readValue } from '../../../gateways/tofu/plan-file/read-value.ts'
import { readZip } from '../../../gateways/tofu/plan-file/read-zip.ts'
import { isRecord } from '../../../domain/infrastructure/record.ts'
import { providerMirror } from '../../harness/provider-mirror.ts'
import { configurations, type PlanStep } from './plan-configurations.ts'
import { providerConfigurations } from './provider-configurations.ts'
import { planShop, type Planned } from './plan-shop.ts'
import { zipOf } from './zip-of.ts'

const mirror = providerMirror({ simple: true })
let shop: Awaited<ReturnType<typeof planShop>>
const plans: Array<Planned & { name: string; args: readonly string[] }> = []
const planAll = async (all: Readonly<Record<string, PlanStep[]>>) => {
  for (const [name, steps] of Object.entries(all)) {
    const place = await shop.place()
    for (const [at, { files, args = [], apply }] of steps.entries()) {
      plans.push({ ...(await place.plan(files, args)), name: `${name} ${at}`, args })
      if (apply) await place.tryApply()
    }
  }
}
beforeAll(async () => {
  shop = await planShop(inject('tofuBin'), mirror && readFileSync(mirror.cliConfig, 'utf8'))
  await planAll(configurations)
  if (mirror) await planAll(providerConfigurations)
}, 600_000)
afterAll(() => shop?.close())

const tfplanOf = (name: string): Buffer =>
  readZip(planOf(name).planFile)
    .find((entry) => entry.name === 'tfplan')
    ?.read(2 ** 24) ?? Buffer.alloc(0)
const planOf = (name: string): Planned => {
  const found = plans.find((plan) => plan.name === name)
  if (!found) throw new Error(`no plan ${name}`)
  return found
}

test('the output of the real `tofu show` matches the plan file', () => {
  const count = (all: object) => Object.values(all).flat().length
  expect(plans).toHaveLength(count(configurations) + (mirror ? count(providerConfigurations) : 0))
  for (const { name, planFile, planJson } of plans)
    expect(() => comparePlanFile(planFile, planJson), name).not.toThrow()
})

const isOption = (arg: string) => /^-(target|refresh-only)/.test(arg)

test('each plan is held to the options that the service has: destroy, or none', () => {
  for (const { name, planFile, args } of plans) {
    const destroy = args.includes('-destroy')
    const check = (job: { destroy: boolean }) => () => compareOptions(readPlanFile(planFile), job)
    if (args.some(isOption)) expect(check({ destroy }), name).toThrow(PlanForged)
    else expect(check({ destroy }), name).not.toThrow()
    expect(check({ destroy: !destroy }), name).toThrow(PlanForged)
  }
  expect(plans.filter(({ args }) => args.some(isOption))).toHaveLength(2)
  // OpenTofu does not store `-replace` in the field for it.
  const replacing = readTfplan(
    Buffer.concat([tfplanOf('replaced 1'), Buffer.from([0x82, 1, 1, 65])]),
  )
  expect(() => compareOptions(replacing, { destroy: false })).toThrow(PlanForged)
})

test('the state of each plan of all resources is the one that its changes begin from', () => {
  for (const { name, planFile, args } of plans)
    if (!args.some(isOption))
      expect(() => compareState(planFile, readPlanFile(planFile)), name).not.toThrow()
})

test('a small plan takes milliseconds', () => {
  const { planFile, planJson } = planOf('replaced 1')
  const begun = performance.now()
  for (let round = 0; round < 100; round += 1) comparePlanFile(planFile, planJson)
  expect((performance.now() - begun) / 100).toBeLessThan(10)
})

/** Compared parts that are not values of the plan file: marks and schema versions. */
const uncompared = new Set([
  'before_sensitive',
  'after_sensitive',
  'sensitive_values',
  'schema_version',
])

type Forgery = { place: string; document: unknown }

/** Yields each way to change one place below a value, in a copy of the whole document. */
function* forgeriesOf(document: Record<string, unknown>, part: string): Generator<Forgery> {
  const text = JSON.stringify(document)
  const places: Array<Array<string | number>> = []
  const walk = (value: unknown, path: Array<string | number>) => {
    places.push(path)
    if (Array.isArray(value)) for (const [at, item] of value.entries()) walk(item, [...path, at])
    else if (isRecord(value))
      for (const [key, item] of Object.entries(value))
        if (!(uncompared.has(key) && part !== 'output_changes')) walk(item, [...path, key])
  }
  walk(document[part], [part])
  for (const path of places) {
    const at = (copy: unknown) =>
      path.slice(0, -1).reduce<unknown>((one, key) => (one as never)[key], copy)
    const last = path.at(-1) ?? ''
    const changed = (change: (parent: Record<string, unknown>, value: unknown) => unknown) => {
      const copy: unknown = JSON.parse(text)
      const parent = at(copy) as Record<string, unknown>
      const done = change(parent, parent[last])
      return done === false ? [] : [{ place: path.join('.'), document: copy }]
    }
    yield* changed((parent, value) => {
      if (typeof value === 'string') parent[last] = `${value}x`
      else if (typeof value === 'number') parent[last] = value === 0 ? 1 : value * 2
      else if (typeof value === 'boolean') parent[last] = !value
      else if (value === null) parent[last] = 'x'
      else if (Array.isArray(value)) value.push(structuredClone(value[0] ?? 'x'))
      else if (isRecord(value)) value['an_extra_key'] = 'x'
      return path.length > 1 || Array.isArray(value)
    })
    yield* changed((parent, value) => {
      // At the top of a change, absent and null are equal: both are read as null.
      if (value === null && ['before', 'after', 'value'].includes(String(last))) return false
      if (Array.isArray(parent)) parent.splice(Number(last), 1)
      else delete parent[last]
      return !(isRecord(value) && Object.keys(value).length === 0 && last === 'after_unknown')
    })
  }
}

describe('each single change of the shown plan is found', () => {
  const parts = ['resource_changes', 'resource_drift', 'output_changes', 'planned_values']
  const ofProviders = mirror ? ['local 2', 'simple 0', 'simple 3', 'aliases of modules 0'] : []
  test.each([
    'values 0',
    'replaced 1',
    'moved 1',
    'removed 1',
    'imported 0',
    'tainted 1',
    'deposed 2',
    'data sources 1',
    'outputs that go 1',
    'variables 0',
    ...ofProviders,
  ])('%s', (name) => {
    const { planFile, planJson } = planOf(name)
    let tried = 0
    for (const part of parts) {
      if (planJson[part] === undefined) continue
      for (const { place, document } of forgeriesOf(planJson, part)) {
        // The type names of outputs are OpenTofu's notation for a value that is compared.
        if (/^planned_values\.outputs\.[^.]+\.type/.test(place)) continue
        // An empty tree of modules.
        if (/^planned_values(\.root_module)?$/.test(place)) continue
        tried += 1
        expect(() => comparePlanFile(planFile, document), place).toThrow(PlanForged)
      }
    }
    expect(tried).toBeGreaterThan(10)
  })

  test('a missing change, an additional one, a duplicate, and another plan', () => {
    const { planFile, planJson } = planOf('values 0')
    const list = planJson['resource_changes'] as unknown[]
    for (const changes of [list.slice(1), [...list, list[0]], [], undefined, 'x', [null]])
      expect(() => comparePlanFile(planFile, { ...planJson, resource_changes: changes })).toThrow(
        PlanForged,
      )
    expect(() => comparePlanFile(planOf('values 1').planFile, planJson)).toThrow(PlanForged)
    for (const other of [null, [], 'x', {}])
      expect(() => comparePlanFile(planFile, other)).toThrow(PlanForged)
  })

  test('the message names the address and contains no value', () => {
    const { planFile, planJson } = planOf('values 0')
    const text = JSON.stringify(planJson).replaceAll('a secret text', 'another secret')
    let message = ''
    try {
      comparePlanFile(planFile, JSON.parse(text))
    } catch (error) {
      message = String(error)
    }
    expect(message).toMatch(/terraform_data\.sensitive differs in what comes after/)
    expect(message).not.toContain('secret ')
  })
})

describe('an invalid plan file', () => {
  const entries = () =>
    readZip(planOf('replaced 1').planFile).map(({ name, read }) => ({ name, data: read(2 ** 24) }))
  const check = (file: Buffer) => () => comparePlanFile(file, planOf('replaced 1').planJson)

  test('the same entries in a new archive are a valid plan', () => {
    expect(check(zipOf(entries()))).not.toThrow()
  })

  test('an encrypted file, an empty file, and random bytes', () => {
    const envelope = Buffer.from('{"meta":{},"encrypted_data":"x","encryption_version":"v0"}')
    for (const file of [envelope, Buffer.alloc(0), Buffer.from('PK'), Buffer.alloc(100, 'PK')])
      expect(check(file)).toThrow(PlanForged)
  })

  test('two entries with one name, unknown names, no entries, and an encrypted entry', () => {
    const all = entries()
    const tfplan = all.find(({ name }) => name === 'tfplan')
    if (!tfplan) throw new Error('no tfplan')
    const without = all.filter(({ name }) => name !== 'tfplan')
    for (const file of [
      zipOf([tfplan, ...all]),
      zipOf([...all, { name: 'tfplan', data: Buffer.from('x') }]),
      zipOf([...all, { name: 'TFPLAN', data: Buffer.from('x') }]),
      zipOf([...all, { name: '../x', data: Buffer.from('x') }]),
      zipOf(without),
      zipOf(all.filter(({ name }) => name !== 'tfstate')),
      zipOf([{ ...tfplan, flags: 9 }, ...without]),
      zipOf([{ ...tfplan, method: 12 }, ...without]),
      zipOf(all, { gap: 1 }),
      zipOf(all, { tail: 1 }),
      Buffer.concat([Buffer.from('x'), zipOf(all)]),
    ])
      expect(check(file)).toThrow(PlanForged)
  })

  test('a change of any byte is found or has no effect', () => {
    const { planFile, planJson } = planOf('replaced 1')
    let found = 0
    for (let at = 0; at < planFile.length; at += 3) {
      const changed = Buffer.from(planFile)
      changed[at] = (changed[at] ?? 0) ^ 0x41
      try {
        comparePlanFile(changed, planJson)
      } catch (error) {
        // A changed size is too large, or does not match the data that follows.
        if (!(error instanceof PlanTooLarge)) expect(error, String(at)).toBeInstanceOf(PlanForged)
        found += 1
      }
    }
    expect(found).toBeGreaterThan(100)
  })

  test('a decompression bomb uses no memory: sizes are checked before unpacking', () => {
    const bomb = zipOf([
      { name: 'tfplan', data: Buffer.alloc(130 * 1024 * 1024) },
      { name: 'tfstate', data: Buffer.from('{}') },
    ])
    expect(bomb.length).toBeLessThan(1024 * 1024)
    const before = process.memoryUsage().rss
    expect(check(bomb)).toThrow(PlanTooLarge)
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024)
  })

  test('a value may have 500 levels; a deeper one is plan_too_large, not plan_forged', () => {
    const lists = (depth: number) => Buffer.concat([Buffer.alloc(depth, 0x91), Buffer.from([0xc0])])
    expect(readValue(lists(500))).toHaveLength(1)
    expect(() => readValue(lists(501))).toThrow(PlanTooLarge)
  })

  test('a protobuf message with an unknown field, a repeated field, and a truncated one', () => {
    const all = entries()
    const withPlan = (change: (data: Buffer) => Buffer) =>
      zipOf(
        all.map((entry) =>
          entry.name === 'tfplan' ? { ...entry, data: change(entry.data) } : entry,
        ),
      )
    expect(check(withPlan((data) => data))).not.toThrow()
    for (const change of [
      (data: Buffer) => Buffer.concat([data, Buffer.from([0xba, 0x06, 1, 0])]),
      (data: Buffer) => Buffer.concat([data, Buffer.from([0x08, 3])]),
      (data: Buffer) => data.subarray(0, -1),
      (data: Buffer) => Buffer.concat([data, Buffer.from([0xff])]),
    ])
      expect(check(withPlan(change))).toThrow(PlanForged)
  })
})
