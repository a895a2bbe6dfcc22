import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { compareOrigin } from '../../../gateways/tofu/plan-file/compare-origin.ts'
import { readPlanFile } from '../../../gateways/tofu/plan-file/compare-plan-file.ts'
import { compareProviders } from '../../../gateways/tofu/plan-file/compare-providers.ts'
import { compareState } from '../../../gateways/tofu/plan-file/compare-state.ts'
import { providerMirror } from '../../harness/provider-mirror.ts'
import { planShop, plansOf } from './plan-shop.ts'
import { providerStates, states } from './state-configurations.ts'

const mirror = providerMirror({ simple: true })
let shop: Awaited<ReturnType<typeof planShop>>
let plans: Awaited<ReturnType<typeof plansOf>>
beforeAll(async () => {
  shop = await planShop(inject('tofuBin'), mirror && readFileSync(mirror.cliConfig, 'utf8'))
  const { 'kept and deleted': builtIn = [] } = states
  const { aliases = [] } = providerStates
  plans = await plansOf(shop, { 'kept and deleted': builtIn, ...(mirror && { aliases }) })
}, 600_000)
afterAll(() => shop?.close())

// oxlint-disable-next-line typescript/no-explicit-any
type State = { resources: any[] }
const resourceOf = (state: State, name: string) =>
  state.resources.find((resource) => resource.name === name)

/** As if the plan file had been altered the other way round. */
function against(name: string, change: (state: State) => unknown) {
  const planned = plans.get(name)
  if (!planned) throw new Error(`no plan ${name}`)
  const state: State = JSON.parse(String(planned.origin))
  change(state)
  const plan = readPlanFile(planned.planFile)
  const inPlan = compareState(planned.planFile, plan)
  const origin = Buffer.from(JSON.stringify(state))
  return () => compareProviders(compareOrigin(plan, inPlan, origin), planned.planJson)
}

test.skipIf(!mirror)('another alias of the provider than the configuration gives', () => {
  const inProd = (name: string) => (s: State) => {
    const resource = resourceOf(s, name)
    const provider = resource.provider.replace('.test', '.prod')
    expect(provider).not.toBe(resource.provider)
    resource.provider = provider
  }
  // It has no block, so an apply destroys it by what the plan file says.
  for (const step of ['aliases 1', 'aliases 2'])
    expect(against(step, inProd('gone')), step).toThrow(
      "simple_resource.gone has another provider than in the workspace's state",
    )
  expect(against('aliases 1', inProd('kept'))).not.toThrow()
})

test.skipIf(!mirror)('a provider by its address in the registry of Terraform', () => {
  const spelled = (host: string) => (s: State) => {
    for (const resource of s.resources)
      resource.provider = resource.provider?.replace('registry.opentofu.org', host)
  }
  expect(against('aliases 1', spelled('registry.terraform.io'))).not.toThrow()
  expect(against('aliases 1', spelled('registry.example'))).toThrow('has another provider')
})

test('the built-in provider by its name of old', () => {
  const named = (provider: string) => (s: State) => (resourceOf(s, 'gone').provider = provider)
  expect(against('kept and deleted 1', named('provider.terraform'))).not.toThrow()
  for (const other of ['provider.terraform.prod', 'module.m.provider.terraform', 'provider.local'])
    expect(against('kept and deleted 1', named(other)), other).toThrow(
      "terraform_data.gone has another provider than in the workspace's state",
    )
})
