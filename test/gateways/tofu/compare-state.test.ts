import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import {
  comparePlanFile,
  readPlanFile,
} from '../../../gateways/tofu/plan-file/compare-plan-file.ts'
import { compareOrigin } from '../../../gateways/tofu/plan-file/compare-origin.ts'
import { compareProviders } from '../../../gateways/tofu/plan-file/compare-providers.ts'
import { compareState } from '../../../gateways/tofu/plan-file/compare-state.ts'
import { PlanForged } from '../../../gateways/tofu/plan-file/plan-forged.ts'
import { readZip } from '../../../gateways/tofu/plan-file/read-zip.ts'
import { providerMirror } from '../../harness/provider-mirror.ts'
import { planShop, plansOf, type Planned } from './plan-shop.ts'
import { providerStates, states } from './state-configurations.ts'
import { zipOf } from './zip-of.ts'

const mirror = providerMirror({ simple: true })
let shop: Awaited<ReturnType<typeof planShop>>
let plans: Awaited<ReturnType<typeof plansOf>>
beforeAll(async () => {
  shop = await planShop(inject('tofuBin'), mirror && readFileSync(mirror.cliConfig, 'utf8'))
  plans = await plansOf(shop, { ...states, ...(mirror && providerStates) })
}, 600_000)
afterAll(() => shop?.close())

const planOf = (name: string): Planned => {
  const found = plans.get(name)
  if (!found) throw new Error(`no plan ${name}`)
  return found
}
const check = (file: Buffer) => () => compareState(file, readPlanFile(file))
const stateIn = (file: Buffer): string =>
  String(
    readZip(file)
      .find(({ name }) => name === 'tfstate')
      ?.read(2 ** 24),
  )

/** The plan file with another state. */
function forged(file: Buffer, change: (state: string) => string): Buffer {
  const state = stateIn(file)
  const changed = change(state)
  expect(changed).not.toBe(state)
  return zipOf(
    readZip(file).map(({ name, read }) => ({
      name,
      data: name === 'tfstate' ? Buffer.from(changed) : read(2 ** 24),
    })),
  )
}

// oxlint-disable-next-line typescript/no-explicit-any
type State = { version: number; resources: any[] }
const edited = (file: Buffer, change: (state: State) => unknown): Buffer =>
  forged(file, (text) => {
    const state: State = JSON.parse(text)
    change(state)
    return JSON.stringify(state)
  })

test.skipIf(!mirror)('the plans have deposed objects in another alias', () => {
  expect(stateIn(planOf('another alias for some of a resource 4').planFile)).toContain('"deposed":')
})

test('the state of each genuine plan is the one that its changes begin from', () => {
  let objects = 0
  for (const [name, { planFile, planJson }] of plans) {
    expect(() => comparePlanFile(planFile, planJson), name).not.toThrow()
    expect(check(planFile), name).not.toThrow()
    objects += JSON.parse(stateIn(planFile)).resources.length
  }
  expect(objects).toBeGreaterThan(20)
})

const begins = ({ planFile, planJson }: Planned, origin: Buffer | undefined) => {
  const plan = readPlanFile(planFile)
  return () => compareProviders(compareOrigin(plan, compareState(planFile, plan), origin), planJson)
}

test('each genuine plan begins from the state of its workspace', () => {
  for (const [name, planned] of plans) expect(begins(planned, planned.origin), name).not.toThrow()
})

describe("a plan that does not begin from the workspace's state", () => {
  /** As if the plan file had been altered the other way round. */
  const against = (name: string, change: (state: State) => unknown) => {
    const planned = planOf(name)
    const state: State = JSON.parse(String(planned.origin))
    change(state)
    return begins(planned, Buffer.from(JSON.stringify(state)))
  }
  const resourceOf = (state: State, name: string) =>
    state.resources.find((resource) => resource.name === name)

  test.each<[string, string, (state: State) => unknown]>([
    [
      'it leaves out an object',
      "it leaves out an object of the workspace's state",
      (s) => s.resources.push({ ...resourceOf(s, 'kept'), name: 'more' }),
    ],
    [
      'it leaves out an instance',
      "it leaves out an object of the workspace's state",
      (s) =>
        resourceOf(s, 'many').instances.push({
          ...resourceOf(s, 'many').instances[0],
          index_key: 7,
        }),
    ],
    [
      'it has an object more',
      "terraform_data.kept is not in the workspace's state",
      (s) => s.resources.splice(s.resources.indexOf(resourceOf(s, 'kept')), 1),
    ],
    [
      'an object stands for another one',
      "terraform_data.kept differs from the workspace's state",
      (s) => (resourceOf(s, 'kept').instances[0].attributes.id = 'another'),
    ],
    [
      'an object that is deleted stands for another one',
      "terraform_data.gone differs from the workspace's state",
      (s) => (resourceOf(s, 'gone').instances[0].attributes.id = 'another'),
    ],
    [
      'an object has an older schema',
      "terraform_data.kept differs from the workspace's state",
      (s) => (resourceOf(s, 'kept').instances[0].schema_version = 1),
    ],
    [
      'an object has a text where it had none',
      "terraform_data.kept differs from the workspace's state",
      (s) => (resourceOf(s, 'kept').instances[0].attributes.triggers_replace = 'x'),
    ],
  ])('%s', (_, message, change) => {
    expect(against('kept and deleted 1', change)).toThrow(message)
  })

  test('what is destroyed stands for another one', () => {
    const change = (s: State) => (resourceOf(s, 'kept').instances[0].attributes.id = 'another')
    expect(against('kept and deleted 2', change)).toThrow("differs from the workspace's state")
  })

  test('it begins from objects where the workspace has no state', () => {
    expect(begins(planOf('kept and deleted 1'), undefined)).toThrow(
      "is not in the workspace's state",
    )
  })

  test('what a newer provider writes anew is accepted', () => {
    const newer = (s: State) => {
      const [instance] = resourceOf(s, 'kept').instances
      instance.schema_version = -1
      instance.attributes.id = 'another'
      resourceOf(s, 'gone').instances[0].attributes.gone_from_the_schema = 'x'
    }
    expect(against('kept and deleted 1', newer)).not.toThrow()
  })

  test.skipIf(!mirror)('an object that is gone must be shown as gone', () => {
    const planned = planOf('objects that are gone 2')
    const plan = readPlanFile(planned.planFile)
    const state = compareState(planned.planFile, plan)
    expect(plan.drift.map(({ change }) => change.action)).toContain('delete')
    expect(() => compareOrigin({ ...plan, drift: [] }, state, planned.origin)).toThrow(
      "it leaves out an object of the workspace's state",
    )
  })

  test('what drifted is what the change begins from', () => {
    const planned = planOf('kept and deleted 1')
    const plan = readPlanFile(planned.planFile)
    const state = compareState(planned.planFile, plan)
    const kept = plan.resources.find(({ address }) => address === 'terraform_data.kept')
    if (!kept) throw new Error('there is no terraform_data.kept')
    const drifted = (after: unknown) => {
      const change = { ...kept.change, action: 'update', after: after as typeof kept.change.after }
      return () => compareOrigin({ ...plan, drift: [{ ...kept, change }] }, state, planned.origin)
    }
    expect(drifted(kept.change.before)).not.toThrow()
    expect(drifted(new Map([['id', 'another']]))).toThrow('differs from its own drift')
    expect(drifted(null)).toThrow('differs from its own drift')
  })
})

describe('a state that the changes do not begin from', () => {
  const kept = () => planOf('kept and deleted 1').planFile
  const resourceOf = (state: State, name: string) =>
    state.resources.find((resource) => resource.name === name)

  test.each<[string, (state: State) => unknown]>([
    ['an object that does not change is left out', (s) => s.resources.shift()],
    ['an instance is left out', (s) => resourceOf(s, 'many').instances.pop()],
    [
      'an attribute of an object that does not change',
      (s) => (resourceOf(s, 'kept').instances[0].attributes.input.value.port = 23),
    ],
    [
      'the type of a dynamic attribute',
      (s) => (resourceOf(s, 'kept').instances[0].attributes.output.type[1].port = 'string'),
    ],
    ['an attribute more', (s) => (resourceOf(s, 'kept').instances[0].attributes.more = null)],
    [
      'an attribute of an object that is deleted',
      (s) => (resourceOf(s, 'gone').instances[0].attributes.id = 'another'),
    ],
    ['an object more', (s) => s.resources.push({ ...resourceOf(s, 'kept'), name: 'more' })],
    [
      'a deposed object more',
      (s) =>
        resourceOf(s, 'kept').instances.push({
          ...resourceOf(s, 'kept').instances[0],
          deposed: '12345678',
        }),
    ],
    [
      'an object of a resource that is created',
      (s) => s.resources.push({ ...resourceOf(s, 'kept'), name: 'made' }),
    ],
    ['an object in another module', (s) => (resourceOf(s, 'kept').module = 'module.m')],
    ['another index', (s) => (resourceOf(s, 'many').instances[0].index_key = 0.5)],
    ['an object twice', (s) => s.resources.push(resourceOf(s, 'kept'))],
    ['tainted', (s) => (resourceOf(s, 'kept').instances[0].status = 'tainted')],
    [
      'another provider',
      (s) => (resourceOf(s, 'gone').provider = 'provider["registry.example/a/b"]'),
    ],
    [
      'another alias',
      (s) => (resourceOf(s, 'gone').provider = 'provider["terraform.io/builtin/terraform"].prod'),
    ],
    ['no provider', (s) => delete resourceOf(s, 'gone').provider],
    [
      'flat attributes',
      (s) => {
        const [instance] = resourceOf(s, 'kept').instances
        instance.attributes_flat = {}
      },
    ],
    ['an older format', (s) => (s.version = 3)],
    ['a key that Go takes for another', (s) => (resourceOf(s, 'kept').Type = 'other')],
    ['no list of resources', (s) => (s.resources = {} as never)],
  ])('%s', (_, change) => {
    expect(check(edited(kept(), change))).toThrow(PlanForged)
  })

  test('a key that stands twice, which Go and JavaScript read as two states', () => {
    for (const [from, to] of [
      ['"resources":[', '"resources":[],"resources":['],
      ['"port":22', '"port":23,"p\\u006frt":22'],
      ['"mode":"managed"', '"mode":"data","mode":"managed"'],
    ] as const)
      expect(check(forged(kept(), (text) => text.replace(from, to)))).toThrow(
        'its state is not as OpenTofu writes it',
      )
  })

  test('the same state in other words is accepted', () => {
    const spaced = (text: string) => JSON.stringify(JSON.parse(text), null, 1)
    expect(check(forged(kept(), spaced))).not.toThrow()
  })

  test('what is no state', () => {
    for (const text of ['', '[]', '{', 'null', '\uFEFF{}'])
      expect(check(forged(kept(), () => text))).toThrow(PlanForged)
  })

  test.skipIf(!mirror)('the alias of the provider of an object that is deleted', () => {
    const { planFile } = planOf('aliases 1')
    const forgery = edited(planFile, (state) => {
      const gone = resourceOf(state, 'gone')
      gone.provider = gone.provider.replace('.test', '.prod')
    })
    expect(check(forgery)).toThrow('simple_resource.gone has another provider in its state')
  })

  test('a tainted object that is replaced is not said to be whole', () => {
    const { planFile } = planOf('tainted 1')
    expect(check(forged(planFile, (text) => text.replace('"tainted"', '""')))).toThrow(PlanForged)
  })

  test('the message has the address and no value', () => {
    const file = forged(kept(), (text) => text.replaceAll('"port":22', '"port":23'))
    expect(check(file)).toThrow(
      /^The plan file and .*: terraform_data\.kept differs in its state from what was before\.$/,
    )
  })
})
