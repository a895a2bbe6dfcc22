import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { compareOrigin } from '../../../gateways/tofu/plan-file/compare-origin.ts'
import { comparePlan, readPlanFile } from '../../../gateways/tofu/plan-file/compare-plan-file.ts'
import { compareProviders } from '../../../gateways/tofu/plan-file/compare-providers.ts'
import { compareState } from '../../../gateways/tofu/plan-file/compare-state.ts'
import type { FilePlan, FileResource } from '../../../gateways/tofu/plan-file/read-tfplan.ts'
import type { StateInPlan } from '../../../gateways/tofu/plan-file/read-tfstate.ts'
import { providerMirror } from '../../harness/provider-mirror.ts'
import { moves, providerMoves } from './move-configurations.ts'
import { planShop, type Planned } from './plan-shop.ts'

const mirror = providerMirror({ simple: true })
let shop: Awaited<ReturnType<typeof planShop>>
/** The last plans of each place: one that applies the moves, and one that destroys. */
const plans = new Map<string, { normal: Planned; destroying: Planned }>()
beforeAll(async () => {
  shop = await planShop(inject('tofuBin'), mirror && readFileSync(mirror.cliConfig, 'utf8'))
  for (const [name, steps] of Object.entries({ ...moves, ...(mirror && providerMoves) })) {
    const place = await shop.place()
    const made: Planned[] = []
    for (const { files, args, apply } of steps) {
      made.push(await place.plan(files, args))
      if (apply) await place.tryApply()
    }
    const [normal, destroying] = made.slice(-2)
    if (normal && destroying) plans.set(name, { normal, destroying })
  }
}, 600_000)
afterAll(() => shop?.close())

type Whole = ReturnType<typeof readPlanFile>

/** All that a run compares. */
function compare(planned: Planned, change: { plan?: Partial<Whole>; state?: StateInPlan } = {}) {
  const read = readPlanFile(planned.planFile)
  const state = change.state ?? compareState(planned.planFile, read)
  const plan = { ...read, ...change.plan }
  const moved = compareOrigin(plan, state, planned.origin)
  if (!change.plan) comparePlan(plan, planned.planJson)
  compareProviders(moved, planned.planJson)
  return moved
}

const destroying = (name: string): Planned => {
  const found = plans.get(name)?.destroying
  if (!found) throw new Error(`no plan ${name}`)
  return found
}

test('each genuine plan after moves, also one that destroys, begins from the state of its workspace', () => {
  const hidden: string[] = []
  for (const [name, { normal, destroying }] of plans) {
    expect(() => compare(normal), name).not.toThrow()
    expect(() => compare(destroying), `${name}, destroying`).not.toThrow()
    const { resources, destroys } = readPlanFile(destroying.planFile)
    expect(destroys).toBe(true)
    if (name !== 'what is gone') expect(resources.length, name).toBeGreaterThan(0)
    if (resources.every(({ previousAddress }) => previousAddress === '')) hidden.push(name)
  }
  // Without the old address there is nothing in the plan that says so.
  expect(hidden).toContain('a moved block')
  expect(plans.size - hidden.length).toBeLessThan(4)
})

test.skipIf(!mirror)('what moved to another alias is held against the configuration', () => {
  const provider = expect.stringMatching(/^provider\["[^"]+\/simple"\]\.prod$/)
  expect(compare(destroying('to another alias'))).toEqual([
    { address: 'simple_resource.b', provider },
  ])
  expect(compare(destroying('to another alias of a module'))).toEqual([
    { address: 'module.m["k"].simple_resource.a', provider },
  ])
})

describe('a plan that destroys what did not move there', () => {
  /** As if the plan file had been altered the other way round. */
  // oxlint-disable-next-line typescript/no-explicit-any
  type State = { resources: any[] }
  const against = (name: string, change: (state: State) => unknown) => {
    const planned = destroying(name)
    const state: State = JSON.parse(String(planned.origin))
    change(state)
    return () => compare({ ...planned, origin: Buffer.from(JSON.stringify(state)) })
  }
  const resourceOf = (state: State, name: string) =>
    state.resources.find((resource) => resource.name === name)
  const unknown = "terraform_data.b is not in the workspace's state"

  test.each<[string, (state: State) => unknown]>([
    ['it is another object', (s) => (resourceOf(s, 'a').instances[0].attributes.id = 'another')],
    ['it is tainted', (s) => (resourceOf(s, 'a').instances[0].status = 'tainted')],
    ['it has an older schema', (s) => (resourceOf(s, 'a').instances[0].schema_version = 1)],
    ['it is deposed', (s) => (resourceOf(s, 'a').instances[0].deposed = '12345678')],
    ['it is of another type', (s) => (resourceOf(s, 'a').type = 'null_resource')],
    ['it is in a module', (s) => (resourceOf(s, 'a').module = 'module.m')],
    ['it has another key', (s) => (resourceOf(s, 'a').instances[0].index_key = 'x')],
    ['it is not there', (s) => s.resources.splice(s.resources.indexOf(resourceOf(s, 'a')), 1)],
    ['no moved block says so', (s) => (resourceOf(s, 'a').name = 'c')],
  ])('%s', (_, change) => {
    expect(against('a moved block', change)).toThrow(unknown)
  })

  test('it is what another one stands for already', () => {
    const planned = destroying('a moved block')
    const plan = readPlanFile(planned.planFile)
    const state = compareState(planned.planFile, plan)
    const b = plan.resources.find(({ address }) => address === 'terraform_data.b')
    if (!b) throw new Error('there is no terraform_data.b')
    const twice = (address: string) => () =>
      compare(planned, { plan: { resources: [...plan.resources, { ...b, address }] }, state })
    expect(twice('terraform_data.b[0]')).toThrow("terraform_data.b[0] is not in the workspace's")
    expect(twice('terraform_data.a')).toThrow(unknown)
  })

  test('no block in a comment or in quotes says so', () => {
    const planned = destroying('a moved block in other words')
    const { moves } = readPlanFile(planned.planFile)
    // The files of a module are in a plan in any order.
    const targets = moves().map(({ to }) => to.map(({ name, key }) => name + key).join())
    expect(targets.toSorted()).toEqual([
      'terraform_data.b',
      'terraform_data.d"to = 1"',
      'terraform_data.d"}"',
    ])
  })

  test('a plan that does not destroy says itself where an object was', () => {
    const planned = plans.get('a moved block')?.normal
    if (!planned) throw new Error('no plan')
    const { resources } = readPlanFile(planned.planFile)
    const silent = resources.map((resource) => ({ ...resource, previousAddress: '' }))
    expect(() => compare(planned, { plan: { resources: silent } })).toThrow(unknown)
  })

  const altered = (address: string, change: (resource: FileResource) => Partial<FileResource>) => {
    const planned = destroying('of one alias')
    const plan: FilePlan = readPlanFile(planned.planFile)
    const state = compareState(planned.planFile, readPlanFile(planned.planFile))
    const resources = plan.resources.map((resource) =>
      resource.address === address ? { ...resource, ...change(resource) } : resource,
    )
    expect(resources).not.toEqual(plan.resources)
    return () => compare(planned, { plan: { resources }, state })
  }

  test.skipIf(!mirror)('it has another alias', () => {
    const prod = ({ provider }: FileResource) => ({ provider: provider.replace('.test', '.prod') })
    for (const address of ['simple_resource.b', 'simple_resource.nowhere'])
      expect(altered(address, prod)).toThrow(
        `${address} has another provider than in the workspace's state`,
      )
  })

  // An apply would destroy it by the provider of that address, whatever the plan file says.
  test.skipIf(!mirror)('it stands under the address of another one', () => {
    expect(altered('simple_resource.b', () => ({ address: 'simple_resource.c' }))).toThrow(
      "simple_resource.c is not in the workspace's state",
    )
  })

  test('a type is another one where a block and the configuration say so', () => {
    const planned = destroying('a moved block')
    const state: State = JSON.parse(String(planned.origin))
    const a = resourceOf(state, 'a')
    Object.assign(a, { type: 'null_resource', provider: 'provider["registry.example/x/null"]' })
    const origin = Buffer.from(JSON.stringify(state))
    const from = [{ name: 'null_resource.a', key: '' }]
    const to = [{ name: 'terraform_data.b', key: '' }]
    const moves = () => [{ module: [], from, to, isWhole: true }]
    expect(compare({ ...planned, origin }, { plan: { moves } })).toEqual([
      { address: 'terraform_data.b', provider: 'provider["terraform.io/builtin/terraform"]' },
    ])
  })
})
