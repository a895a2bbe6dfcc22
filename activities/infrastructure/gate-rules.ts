import { createHash } from 'node:crypto'
import { reachQuestion } from '../../domain/finops/budgets/in-scope.ts'
import { isInForce } from '../../domain/finops/match-price.ts'
import { judgesWorkspace } from '../../domain/policies/judges-workspace.ts'
import { opaCapabilitiesOf } from '../../gateways/opa/policy-bench.ts'
import type { Asks, GateRules } from '../../gateways/runner/protocol.ts'
import type { Runner } from '../../gateways/runner/start-runner.ts'
import { withDefaults } from '../../store/organizations/settings.ts'
import type { JudgedPlan, RulesInForce } from '../../store/infrastructure/judged-plan.ts'
import {
  rulesOfWorkspace,
  type RulesOfWorkspace,
} from '../../store/infrastructure/rules-of-workspace.ts'
import type { Deps } from '../deps.ts'

export type GateVersions = { policiesVersion: string; pricesVersion: string }

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
      const question = { workspaceId, resourceTypes }
      const rules = await rulesOfWorkspace(deps.store, organizationId, question)
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

async function forRunner(deps: Deps, rules: RulesOfWorkspace): Promise<GateRules> {
  const { workspace, policies, prices, budgets, accountNumber, accountHasBill, settings } = rules
  const judging = policies.filter((policy) => judgesWorkspace(policy.workspaces, workspace))
  const { currency, tagKey, tagAliases } = withDefaults(settings)
  const around = {
    workspace: { ...workspace, accountNumber, accountHasBill },
    tagKey,
    tagAliases,
  }
  return {
    workspace,
    policies: judging.map(({ id, name, rego, enforcement }) => ({ id, name, rego, enforcement })),
    prices,
    budgets: budgets.flatMap((budget) => reachQuestion(budget, around) ?? []),
    currency,
    // From the worker's own OPA: what a runner reports is not passed on to other runners.
    capabilities: judging.length > 0 ? await opaCapabilitiesOf(deps.sandbox) : undefined,
  }
}

/** Identifies rules, so that a change while a run waits is noticed (docs/runs.md, "Digest"). */
function versionsOf({
  workspace,
  policies,
  prices,
  budgets,
  settings,
}: RulesInForce): GateVersions {
  const now = new Date()
  const hash = (value: unknown) =>
    createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32)
  const { currency, tagKey, tagAliases } = withDefaults(settings)
  const aliases = Object.keys(tagAliases).length > 0 ? [tagAliases] : []
  const judging = policies.filter((policy) => judgesWorkspace(policy.workspaces, workspace))
  return {
    policiesVersion: hash([
      // Policies read both (runner/judge-plan.ts).
      ...(judging.length > 0 ? [workspace.criticality, workspace.name] : []),
      ...judging.map(({ id, version }) => [id, version]),
    ]),
    pricesVersion: hash([
      // A price that comes into force while a run waits changes its cost as one that is saved then does.
      prices.map((price) => [price.id, price.version, ...(isInForce(price, now) ? [] : ['later'])]),
      workspace.costLimitMonthly,
      workspace.unpriced,
      currency,
      // Their amounts and states are read when it matters. Another scope is searched for in the plan again.
      ...(budgets.length > 0 ? [budgets, tagKey, ...aliases] : []),
    ]),
  }
}

/** Whether a plan was judged by the policies, prices and limits in force now. */
export function isJudgedByToday({ plan, rules }: JudgedPlan): boolean {
  // An older plan does not list the prices that it needs, so it is judged again.
  if (!plan.resourceTypes) return false
  const now = versionsOf(rules)
  return now.policiesVersion === plan.policiesVersion && now.pricesVersion === plan.pricesVersion
}
