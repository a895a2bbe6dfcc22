import { planReach } from '../domain/finops/budgets/plan-reach.ts'
import { planEstimate } from '../domain/finops/estimates/plan-estimate.ts'
import { judgeCost, type CostVerdict } from '../domain/finops/judge-cost.ts'
import { presentCost } from '../domain/finops/present-cost.ts'
import { priceResources } from '../domain/finops/price-resources.ts'
import { maskSecrets, type Mask } from '../domain/runs/mask-secrets.ts'
import { secretTexts } from '../domain/infrastructure/known-secrets.ts'
import { parsePlan } from '../domain/infrastructure/parse-plan.ts'
import { judgePolicies } from '../domain/policies/judge-policies.ts'
import { evaluatePolicies } from '../gateways/opa/evaluate-policies.ts'
import { JobFailure } from '../gateways/runner/job-failure.ts'
import type { GateRules, Judged, RunFacts } from '../gateways/runner/protocol.ts'
import type { Port } from './port.ts'

/** Bounds the question for prices. A plan for real resources has fewer types. */
const maxTypes = 1_000
/** The type of every price matches this. */
const typeForm = /^[\w-]{1,128}$/

/** Evaluates the policy gate and the cost gate over a plan. A gate that cannot be evaluated ends the run. */
export async function judgePlan(
  port: Port,
  { planJson, run, sensitiveVariables, secrets }: Question,
): Promise<Judged> {
  const types = typesOf(planJson)
  await port.ask('rules', { types })
  // Sent by a worker of the same version (activities/infrastructure/gate-rules.ts).
  const rules = JSON.parse((await port.input('rules')).toString()) as GateRules
  const { workspace } = rules

  const priced = priceResources(planJson, rules.prices, {
    currency: rules.currency,
    at: new Date(),
  })
  const cost = presentCost(priced)
  const judged = judgeCost({
    priced,
    costLimitMonthly: workspace.costLimitMonthly,
    unpriced: workspace.unpriced,
  })

  const { id, name, criticality } = workspace
  const mask = maskOfPolicies([
    ...secrets,
    ...secretTexts(parsePlan(planJson), { sensitiveVariables }),
  ])
  const results = await evaluatePolicies(benches(port), {
    policies: rules.policies,
    input: {
      plan: planJson,
      run,
      workspace: { id, name, criticality },
      cost,
    },
    mask,
    capabilities: rules.capabilities,
    signal: port.signal,
  })
  const policyVerdict = judgePolicies(results)
  // Addresses of resources can have values of variables in them, as keys of `for_each`.
  const costVerdict = maskCost(judged, mask)
  return {
    gates: [
      { kind: 'policy', result: policyVerdict.result, findings: policyVerdict.findings },
      { kind: 'cost', result: costVerdict.result, findings: costVerdict.findings },
    ],
    cost,
    reach: planReach(planJson, priced, rules.budgets),
    estimate: planEstimate(planJson, priced, mask),
    denied: deniedBy(policyVerdict, costVerdict),
  }
}

type Question = {
  planJson: unknown
  run: RunFacts
  sensitiveVariables: readonly string[]
  /** Values of the workspace that must not appear in messages of policies. */
  secrets: readonly string[]
}

function typesOf(planJson: unknown): string[] {
  const types = new Set(parsePlan(planJson).resourceChanges.map(({ type }) => type))
  if (types.size > maxTypes)
    throw new JobFailure(
      'plan_too_large',
      `The plan has ${types.size} types of resources, and at most ${maxTypes} are judged. Split the workspace into smaller ones.`,
    )
  return [...types].filter((type) => typeForm.test(type))
}

const benches = (port: Port) => ({
  open: async ({ sizeBytes }: { sizeBytes: number }) =>
    (await port.openBench({ use: 'policies', sizeBytes })).bench,
})

function deniedBy(
  policy: ReturnType<typeof judgePolicies>,
  cost: ReturnType<typeof judgeCost>,
): Judged['denied'] {
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

function maskCost(verdict: CostVerdict, mask: Mask): CostVerdict {
  const findings = verdict.findings.map(({ message, resource, ...finding }) => ({
    ...finding,
    message: mask(message),
    ...(resource !== undefined && { resource: mask(resource) }),
  }))
  return { ...verdict, findings }
}

/**
 * Masks the messages of policies, because policies see unmasked values. If there are too many secrets to
 * mask, every message is replaced and only the verdict is kept.
 */
function maskOfPolicies(secrets: readonly string[]): Mask {
  try {
    return maskSecrets(secrets)
  } catch {
    return () => 'This message is not shown: the plan has more sensitive values than can be masked.'
  }
}
