import type { Tenant } from '../../store/driver/tenant.ts'
import { createHash } from 'node:crypto'
import { opaCapabilitiesOf } from '../../gateways/opa/policy-bench.ts'
import type { Asks, GateRules } from '../../gateways/runner/protocol.ts'
import type { Runner } from '../../gateways/runner/start-runner.ts'
import { prices, type StoredPrice } from '../../store/finops/prices.ts'
import { organizationSettings } from '../../store/organizations/settings.ts'
import { policies, type Policy } from '../../store/policies/policies.ts'
import { workspaces, type Workspace } from '../../store/workspaces/workspaces.ts'
import type { Deps } from '../deps.ts'

export type GateVersions = { policiesVersion: string; pricesVersion: string }

type Rules = { workspace: Workspace; policies: Policy[]; prices: StoredPrice[]; currency: string }
type Question = { workspaceId: number; resourceTypes: readonly string[] }

/** Identifies the rules in force, so that a change while a run waits is noticed (docs/runs.md, "Digest"). */
export async function gateVersions(tenant: Tenant, question: Question): Promise<GateVersions> {
  return versionsOf(await rulesFor(tenant, question))
}

/**
 * Sends a runner the rules when it asks, and keeps their versions and the resource types, which are
 * recorded with the plan.
 */
export function tellRules(
  deps: Deps,
  runner: Runner,
  place: { organizationId: number; workspaceId: number },
): {
  rules: (ask: Asks['rules']['ask']) => Promise<Asks['rules']['answer']>
  judgedBy(): GateVersions & { resourceTypes: string[] }
} {
  const { organizationId, workspaceId } = place
  let told: (GateVersions & { resourceTypes: string[] }) | undefined
  return {
    async rules({ types }) {
      const resourceTypes = checkTypes(types)
      const rules = await deps.store.tenant(organizationId, async (tenant) =>
        rulesFor(tenant, { workspaceId, resourceTypes }),
      )
      told = { ...versionsOf(rules), resourceTypes }
      const sent = await forRunner(deps, rules)
      await runner.channel.sendBlob('rules', Buffer.from(JSON.stringify(sent)))
      return {}
    },
    judgedBy() {
      // Fails closed: a plan that was judged without rules has not passed them.
      if (!told) throw new Error('a runner judged without asking for the rules')
      return told
    },
  }
}

function checkTypes(types: unknown): string[] {
  if (!Array.isArray(types) || types.length > 1_000) throw new Error('a runner named no types')
  return types.map(String)
}

async function forRunner(deps: Deps, rules: Rules): Promise<GateRules> {
  const { id, name, criticality, costLimitMonthly, unpriced } = rules.workspace
  return {
    workspace: { id, name, criticality, costLimitMonthly, unpriced },
    policies: rules.policies.map(({ id, name, rego, enforcement }) => ({
      id,
      name,
      rego,
      enforcement,
    })),
    prices: rules.prices,
    currency: rules.currency,
    // From the worker's own OPA: what a runner reports is not passed on to other runners.
    capabilities: rules.policies.length > 0 ? await opaCapabilitiesOf(deps.sandbox) : undefined,
  }
}

async function rulesFor(tenant: Tenant, { workspaceId, resourceTypes }: Question): Promise<Rules> {
  const workspace = await workspaces(tenant).get(workspaceId)
  return {
    workspace,
    policies: await policies(tenant).ofWorkspace(workspace),
    prices: await prices(tenant).ofTypes([...resourceTypes]),
    currency: (await organizationSettings(tenant)).currency,
  }
}

function versionsOf(rules: Rules): GateVersions {
  const hash = (value: unknown) =>
    createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32)
  const { workspace } = rules
  return {
    policiesVersion: hash(rules.policies.map(({ id, version }) => [id, version])),
    pricesVersion: hash([
      rules.prices.map(({ id, version }) => [id, version]),
      workspace.costLimitMonthly,
      workspace.unpriced,
      rules.currency,
    ]),
  }
}
