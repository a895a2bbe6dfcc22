import { createHash } from 'node:crypto'
import { judgeCost } from '../../domain/finops/judge-cost.ts'
import { presentCost } from '../../domain/finops/present-cost.ts'
import { priceResources } from '../../domain/finops/price-resources.ts'
import { maskSecrets, type Mask } from '../../domain/pipelines/mask-secrets.ts'
import type { RunReason } from '../../domain/pipelines/run-state.ts'
import { parsePlan } from '../../domain/plans/parse-plan.ts'
import { secretTexts } from '../../domain/plans/known-secrets.ts'
import { judgePolicies } from '../../domain/policies/judge-policies.ts'
import { evaluatePolicies } from '../../gateways/opa/evaluate-policies.ts'
import type { Db } from '../../store/connect.ts'
import { prices, type StoredPrice } from '../../store/finops/prices.ts'
import { organizationSettings } from '../../store/organizations/settings.ts'
import { policies, type Policy } from '../../store/policies/policies.ts'
import type { WorkspaceRun } from '../../store/pipelines/workspace-runs.ts'
import { workspaces, type Workspace } from '../../store/workspaces/workspaces.ts'
import type { Deps } from '../deps.ts'

export type Judgement = {
  gates: unknown[]
  cost: Record<string, unknown>
  /** Why the run may not go on; undefined where both gates let it pass. */
  denied: { reason: RunReason; message: string } | undefined
} & GateVersions

export type GateVersions = { policiesVersion: string; pricesVersion: string }

type Rules = { workspace: Workspace; policies: Policy[]; prices: StoredPrice[]; currency: string }

/** Names the rules in force, so that a change while a run waits is noticed (runs.md, Digest). */
export async function gateVersions(
  db: Db,
  organizationId: number,
  question: { workspaceId: number; planJson: unknown },
): Promise<GateVersions> {
  return versionsOf(await rulesFor(db, organizationId, question))
}

/** The policy gate and the cost gate over a stored plan. What cannot be evaluated ends the run: they fail closed. */
export async function judgeGates(
  deps: Deps,
  organizationId: number,
  question: {
    run: WorkspaceRun
    planJson: unknown
    sensitiveVariables: readonly string[]
    /** Values of the workspace that no policy may say. */
    secrets: readonly string[]
    signal: AbortSignal
  },
): Promise<Judgement> {
  const { run, planJson, sensitiveVariables, secrets, signal } = question
  const rules = await deps.store.tenant(organizationId, async (db) =>
    rulesFor(db, organizationId, { workspaceId: run.workspaceId, planJson }),
  )
  const { workspace } = rules

  const priced = priceResources(planJson, rules.prices, {
    currency: rules.currency,
    at: new Date(),
  })
  const cost = presentCost(priced)
  const costVerdict = judgeCost({
    priced,
    costLimitMonthly: workspace.costLimitMonthly,
    unpriced: workspace.unpriced,
  })

  const results = await evaluatePolicies(deps.sandbox, {
    policies: rules.policies,
    input: {
      plan: planJson,
      run: { id: run.id, kind: run.kind, destroy: run.destroy, authorUserId: run.authorUserId },
      workspace: { id: workspace.id, name: workspace.name, criticality: workspace.criticality },
      cost,
    },
    mask: maskOfPolicies([...secrets, ...secretTexts(parsePlan(planJson), { sensitiveVariables })]),
    signal,
  })
  const policyVerdict = judgePolicies(results)

  return {
    gates: [
      { kind: 'policy', result: policyVerdict.result, findings: policyVerdict.findings },
      { kind: 'cost', result: costVerdict.result, findings: costVerdict.findings },
    ],
    cost: { ...cost },
    denied: deniedBy(policyVerdict, costVerdict),
    ...versionsOf(rules),
  }
}

/**
 * Policies see true values, so what they say is masked. Where there are more secrets than can be
 * masked, only their verdict is kept.
 */
function maskOfPolicies(secrets: readonly string[]): Mask {
  try {
    return maskSecrets(secrets)
  } catch {
    return () => 'This message is not shown: the plan has more sensitive values than can be masked.'
  }
}

function deniedBy(
  policy: ReturnType<typeof judgePolicies>,
  cost: ReturnType<typeof judgeCost>,
): Judgement['denied'] {
  if (policy.result === 'fail' || policy.result === 'error')
    return {
      reason: 'policy_denied',
      message:
        policy.result === 'error'
          ? 'A mandatory policy could not be evaluated, so the run may not go on.'
          : 'A mandatory policy denies this plan.',
    }
  if (cost.result === 'fail' || cost.result === 'error')
    return {
      reason: cost.reason ?? 'cost_unknown',
      message: cost.findings[0]?.message ?? 'The cost of this plan is over the limit.',
    }
  return undefined
}

async function rulesFor(
  db: Db,
  organizationId: number,
  { workspaceId, planJson }: { workspaceId: number; planJson: unknown },
): Promise<Rules> {
  const types = [...new Set(parsePlan(planJson).resourceChanges.map(({ type }) => type))]
  const workspace = await workspaces(db, organizationId).get(workspaceId)
  return {
    workspace,
    policies: await policies(db, organizationId).ofWorkspace(workspace),
    prices: await prices(db, organizationId).ofTypes(types),
    currency: (await organizationSettings(db, organizationId)).currency,
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
