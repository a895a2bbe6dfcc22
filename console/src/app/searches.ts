import type { PlanSearch } from '../infrastructure/plan-search.ts'

/** The query parameters of the pages, shared by the router and the pages. */

/** The parameter `signedout`: `1`, or the result of the logout at the identity provider. */
export type SignedOut = 1 | 'partial' | 'failed'

export const workspaceTabs = [
  'runs',
  'files',
  'git',
  'variables',
  'agents',
  'state',
  'cost',
  'settings',
] as const
export type WorkspaceTab = (typeof workspaceTabs)[number]
/**
 * `version` is the version of the files to show, instead of the newest one. With `history` it is the newer one
 * of two that are compared, and `with` the older one. `file` and `line` are a place in
 * them. Of the state, `version` and `with` are ids of two of its versions. `from` and `to` are the days of the cost.
 * `start` and `upload` open the dialog that starts a run or takes files.
 */
export type WorkspaceSearch = {
  tab?: WorkspaceTab
  version?: number
  history?: true
  with?: number
  file?: string
  line?: number
  upload?: true
  start?: true
  from?: string
  to?: string
}

/** Of an application pipeline; one of infrastructure has its runs alone. */
export const pipelineTabs = ['runs', 'hosts', 'variables', 'manifest', 'settings'] as const
export type PipelineTab = (typeof pipelineTabs)[number]
export type PipelineSearch = { tab?: PipelineTab }

export const runTabs = [
  'plan',
  'checks',
  'hosts',
  'changes',
  'log',
  'comments',
  'timeline',
  'compare',
] as const
/** `with` is the run of the workspace that this one is compared with. The plan has filters of its own. */
export type RunSearch = PlanSearch & {
  tab?: (typeof runTabs)[number]
  stage?: string
  line?: number
  upload?: true
  with?: number
}

export const auditFields = ['event', 'actor', 'target', 'from', 'to'] as const
export type AuditFilter = { [Field in (typeof auditFields)[number]]?: string }

/** The filters of the list of resources, as in the address of the page. */
export const resourceFilters = ['q', 'provider', 'service', 'type', 'region', 'tag'] as const
export type ResourceFilter = { [Field in (typeof resourceFilters)[number]]?: string } & {
  accountId?: number
  /** Whether a workspace holds it. */
  managed?: boolean
  state?: 'gone' | 'all'
}

/** What the page of cost shows, as in the address of the page. */
export const costTexts = [
  'from',
  'to',
  'provider',
  'service',
  'source',
  'subAccountId',
  'region',
  'tagKey',
  'tagValue',
] as const
export const costNumbers = ['accountId', 'workspaceId'] as const
export const costChoices = {
  basis: ['effective', 'billed', 'list'],
  groupBy: [
    'provider',
    'service',
    'account',
    'subAccount',
    'region',
    'workspace',
    'tag',
    'chargeCategory',
  ],
  chargeCategory: ['Usage', 'Purchase', 'Tax', 'Credit', 'Adjustment'],
  owner: ['workspace', 'unmanaged', 'unattributed'],
} as const
export type CostSearch = { [Field in (typeof costTexts)[number]]?: string } & {
  [Field in (typeof costNumbers)[number]]?: number
} & { [Field in keyof typeof costChoices]?: (typeof costChoices)[Field][number] } & {
  /** Only what has no tag of `tagKey`. */
  untagged?: true
}

/** The days that the page of a unit shows. */
export type UnitSearch = { from?: string; to?: string }

/** Of the page of what no workspace holds, which has its own groups. */
export type UnmanagedSearch = Omit<CostSearch, 'owner' | 'workspaceId' | 'groupBy'>

/** Without an order: what is unused most first. */
export type CommitmentSearch = { from?: string; to?: string; provider?: string; sort?: 'amortised' }

export const anomalyStates = [
  'open',
  'acknowledged',
  'expected',
  'not_anomaly',
  'resolved',
] as const
/** The filters of the list of anomalies. Without a state: open ones. */
export type AnomalySearch = {
  state?: (typeof anomalyStates)[number] | 'all'
  provider?: string
  service?: string
  from?: string
  to?: string
}
