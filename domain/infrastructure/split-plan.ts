import { cutText } from './cut-text.ts'
import { diffAttributes, presentValue, type PresentedAttribute } from './diff-attributes.ts'
import { knownSecrets, type KnownSecrets, type SecretOptions } from './known-secrets.ts'
import { dependenciesOf, type Dependencies } from './plan-dependencies.ts'
import { parsePlan, type Change, type Plan, type ResourceChange } from './parse-plan.ts'
import { summaryOf, type PlanSummary } from './summarize-plan.ts'

/**
 * The plan as it is stored for people: an overview of fixed size, and one row of bounded size per
 * change, without sensitive values. Rows are generated in the order of the page: deletions first, so
 * that an approver of a long plan cannot miss one behind a thousand creations. Throws PlanFormatError
 * for what is no plan.
 */
export function splitPlan(planJson: unknown, options: SecretOptions = {}): SplitPlan {
  const plan = parsePlan(planJson)
  const groups = groupChanges(plan)
  const changing = groups.reduce((sum, { changes }) => sum + changes.length, 0)
  const outputs = plan.outputChanges.filter(({ change }) => change.kind !== 'no-op')
  const drift = plan.resourceDrift.filter(({ change }) => change.kind !== 'no-op')
  const parts: Part[] = [
    ...groups.map(({ changes }): Part => ({ part: 'resource', changes })),
    { part: 'output', changes: outputs },
    { part: 'drift', changes: drift },
  ]
  return {
    summary: summaryOf(plan),
    overview: {
      actions: Object.fromEntries(
        groups.map(({ action, changes }) => [action, changes.length]),
      ) as PlanOverview['actions'],
      outputs: outputs.length,
      drift: drift.length,
      imports: plan.resourceChanges.filter(({ change }) => change.importing !== undefined).length,
      omittedChanges: Math.max(0, changing + outputs.length + drift.length - maxRows),
    },
    resourceTypes: [...new Set(plan.resourceChanges.map(({ type }) => type))],
    rows: rowsOf(parts, {
      secrets: knownSecrets(plan, options),
      dependencies: dependenciesOf(
        plan,
        groups.flatMap(({ changes }) => changes),
      ),
    }),
  }
}

export type SplitPlan = {
  summary: PlanSummary
  overview: PlanOverview
  /** The type of every resource in the plan, once: these are the prices that it needs. */
  resourceTypes: string[]
  /** Can be iterated once. */
  rows: Iterable<PlanRow>
}

/** Counts alone: nothing that the plan's author wrote. */
export type PlanOverview = {
  actions: Record<PlanAction, number>
  /** Outputs whose value changes. */
  outputs: number
  /** Objects that were changed outside of OpenTofu since the last apply. */
  drift: number
  /** Objects that are imported, whatever else is done to them. Absent of plans of earlier versions. */
  imports?: number
  /** Changes beyond the number of rows that are kept. */
  omittedChanges: number
}

export type PlanRow =
  | ({ part: 'resource' } & PresentedResource)
  | ({ part: 'drift' } & PresentedResource)
  | ({ part: 'output' } & PresentedOutput)

export type PresentedResource = {
  address: string
  previousAddress?: string
  /** The object that is imported: its id, or its identity as JSON. */
  importing?: { id: string }
  module?: string
  type: string
  name: string
  index?: string | number
  provider: string
  actions: string[]
  /** OpenTofu's word, as `replace_because_cannot_update` or `delete_because_count_index`. */
  replaceReason?: string
  /** Which of the other changes it needs: blocks of the configuration, without keys of instances. */
  dependsOn?: string[]
  /** How many more it needs. */
  omittedDependencies?: number
  attributes: PresentedAttribute[]
  omittedAttributes: number
}

/** An output that is no object has one attribute with an empty path. */
export type PresentedOutput = {
  name: string
  actions: string[]
  attributes: PresentedAttribute[]
  omittedAttributes: number
}

const planActions = ['destroy', 'replace', 'update', 'create', 'read', 'move'] as const
export type PlanAction = (typeof planActions)[number]

export const maxRows = 50_000
const maxAttributesPerRow = 200
export const maxRowBytes = 64 * 1_024
/** The names of a row's own fields and its two counts. */
const envelopeBytes = 128
/** Paths repeat in every attribute, so rows can be larger than the plan. Rows beyond this have no attributes. */
const maxAttributeBytes = 32 * 1_048_576
/** Of all rows together, for values beyond their first thousand characters. */
const maxLongBytes = 8 * 1_048_576

type Part = {
  part: PlanRow['part']
  changes: Array<ResourceChange | Plan['outputChanges'][number]>
}

function groupChanges(plan: Plan): Array<{ action: PlanAction; changes: ResourceChange[] }> {
  const byAction = Map.groupBy(plan.resourceChanges.filter(isShown), ({ change }) =>
    actionOf(change),
  )
  return planActions.map((action) => ({ action, changes: byAction.get(action) ?? [] }))
}

const isShown = ({ change, mode, previousAddress }: ResourceChange) =>
  mode !== 'ephemeral' &&
  (change.kind !== 'no-op' || change.importing !== undefined || previousAddress !== undefined)

function actionOf({ actions }: Change): PlanAction {
  if (actions.includes('delete') && actions.includes('create')) return 'replace'
  if (actions.includes('delete') || actions.includes('forget')) return 'destroy'
  if (actions.includes('create')) return 'create'
  if (actions.includes('update')) return 'update'
  return actions.includes('read') ? 'read' : 'move'
}

type Known = {
  secrets: KnownSecrets
  dependencies: (change: ResourceChange) => Dependencies
}

function* rowsOf(parts: readonly Part[], { secrets, dependencies }: Known): Generator<PlanRow> {
  let rows = 0
  let bytes = maxAttributeBytes
  let longBytes = maxLongBytes
  const withDifferences = <Head extends object>(head: Head, change: Change) => {
    const own = Buffer.byteLength(JSON.stringify(head)) + envelopeBytes
    const diff = diffAttributes(change, secrets, {
      attributes: maxAttributesPerRow,
      bytes: Math.min(maxRowBytes - own, bytes),
      longBytes,
    })
    bytes -= diff.bytes
    longBytes -= diff.longBytes
    return { ...head, attributes: diff.attributes, omittedAttributes: diff.omitted }
  }
  for (const { part, changes } of parts)
    for (const entry of changes) {
      if ((rows += 1) > maxRows) return
      yield 'address' in entry
        ? {
            part: part === 'drift' ? part : 'resource',
            ...withDifferences(
              { ...headOf(entry, secrets), ...(part === 'resource' && dependencies(entry)) },
              entry.change,
            ),
          }
        : { part: 'output', ...withDifferences(headOfOutput(entry), entry.change) }
    }
}

type Head<Row> = Omit<Row, 'attributes' | 'omittedAttributes'>

const headOfOutput = ({ name, change }: Plan['outputChanges'][number]): Head<PresentedOutput> => ({
  name: cutText(name),
  actions: change.actions,
})

function headOf(resource: ResourceChange, secrets: KnownSecrets): Head<PresentedResource> {
  const { previousAddress, moduleAddress, index, actionReason } = resource
  const { importing } = resource.change
  return {
    address: cutText(resource.address),
    ...(previousAddress === undefined ? {} : { previousAddress: cutText(previousAddress) }),
    ...(importing === undefined
      ? {}
      : { importing: { id: cutText(String(presentValue({ value: importing, secrets }))) } }),
    ...(moduleAddress === undefined ? {} : { module: cutText(moduleAddress) }),
    type: cutText(resource.type),
    name: cutText(resource.name),
    ...(index === undefined ? {} : { index: typeof index === 'string' ? cutText(index) : index }),
    provider: cutText(resource.providerName),
    actions: resource.change.actions,
    ...(actionReason === undefined ? {} : { replaceReason: cutText(actionReason) }),
  }
}
