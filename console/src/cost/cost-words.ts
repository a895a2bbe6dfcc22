import { costChoices, type CostSearch } from '../app/searches.ts'
import type { BillSlice, Budget, CostBasis, CostGroupBy, CostSeries, Ingest } from './queries.ts'
import { ratesHash } from './rates-hash.ts'

export const basisWords: Record<CostBasis, string> = {
  effective: 'Effective (amortised)',
  billed: 'Billed (as invoiced)',
  list: 'List price',
}

export const groupWords: Record<CostGroupBy, string> = {
  service: 'Service',
  provider: 'Cloud',
  account: 'Account',
  subAccount: 'Sub-account',
  region: 'Region',
  workspace: 'Workspace',
  tag: 'Tag',
  chargeCategory: 'Charge category',
}

const names: Readonly<Record<string, string>> = {
  aws: 'AWS',
  azure: 'Azure',
  gcp: 'Google Cloud',
  oci: 'Oracle Cloud',
  workspace: 'A workspace holds it',
  unmanaged: 'No workspace holds it',
  unattributed: 'Without a resource',
}

export const ownerWords = (owner: NonNullable<CostSearch['owner']>): string => names[owner] ?? owner

/** How a group is named on the page. */
export const nameOfGroup = (groupBy: CostGroupBy, label: string): string =>
  (groupBy === 'provider' || groupBy === 'workspace' ? names[label] : undefined) ?? label

/** What is not drawn by itself. */
export const restColor = 'var(--series-rest)'
export const restLabel = ({ groups }: CostSeries['rest']): string =>
  groups === 1 ? '1 other' : `${groups.toLocaleString('en')} others`

type Group = { key: string | null; label: string }
type GroupsOf = Pick<CostSeries, 'groupBy' | 'tagKey' | 'freshness' | 'freshnessRest'>

/** The search that shows this group alone, and what it consists of. Undefined for what no filter finds. */
export function narrowed(
  search: CostSearch,
  series: GroupsOf,
  { key, label }: Group,
): CostSearch | undefined {
  const { groupBy, tagKey } = series
  const next = nextGroup[groupBy]
  const base: CostSearch = { ...search, groupBy: next }
  if (groupBy === 'tag') {
    if (tagKey === null) return undefined
    return key === null ? { ...base, tagKey, untagged: true } : { ...base, tagKey, tagValue: key }
  }
  if (groupBy === 'region') return { ...base, region: key ?? '' }
  if (groupBy === 'subAccount') return { ...base, subAccountId: key ?? '' }
  if (key === null || key === '') return undefined
  const id = Number(key)
  switch (groupBy) {
    case 'provider':
      return { ...base, provider: key }
    case 'service':
      return { ...base, service: key }
    case 'account':
      return withSource(base, series, { key, label })
    case 'workspace': {
      const owner = costChoices.owner.find((one) => one === key)
      return Number.isInteger(id) ? { ...base, workspaceId: id } : owner && { ...base, owner }
    }
    case 'chargeCategory': {
      const chargeCategory = costChoices.chargeCategory.find((one) => one === key)
      return chargeCategory && { ...base, chargeCategory }
    }
  }
}

type Source = Pick<CostSeries['freshness'][number], 'accountId' | 'source'>

/** Of a row. An upload can be named as an account's id. */
export const idOfSource = ({ accountId, source }: Source): string =>
  accountId === null ? `upload ${source}` : `account ${accountId}`

/** An upload can be named 12, as the account of id 12 is keyed. The name beside the key tells them apart. */
function withSource(
  base: CostSearch,
  { freshness, freshnessRest }: GroupsOf,
  { key, label }: { key: string; label: string },
): CostSearch | undefined {
  const found = freshness.find(
    ({ accountId, source, name }) => name === label && (source ?? String(accountId)) === key,
  )
  if (found)
    return found.accountId === null
      ? { ...base, source: key }
      : { ...base, accountId: found.accountId }
  // All sources are listed, so this one was removed.
  if (freshnessRest === undefined) return undefined
  // Of an upload the key is the name.
  return label === key ? { ...base, source: key } : { ...base, accountId: Number(key) }
}

/** What to look at within a group. */
const nextGroup: Record<CostGroupBy, CostGroupBy> = {
  provider: 'service',
  service: 'region',
  account: 'service',
  subAccount: 'service',
  region: 'service',
  workspace: 'service',
  tag: 'service',
  chargeCategory: 'service',
}

const day = (date: Date): string => date.toISOString().slice(0, 10)
const dayMs = 86_400_000

/** The window of the same length before this one. */
export function windowBefore({ from, to }: { from: string; to: string }) {
  const start = Date.parse(from)
  const lengthMs = Date.parse(to) - start + dayMs
  return { from: day(new Date(start - lengthMs)), to: day(new Date(start - dayMs)) }
}

/** Windows that are chosen by name. The first is what the API takes without one. */
export function periods(now: Date): Array<{ label: string; from?: string; to?: string }> {
  const ago = (days: number) => day(new Date(now.getTime() - days * dayMs))
  const month = (back: number) =>
    day(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1)))
  return [
    { label: 'Last month and this one' },
    { label: 'This month', from: month(0), to: day(now) },
    { label: 'Last 30 days', from: ago(29), to: day(now) },
    { label: 'Last 90 days', from: ago(89), to: day(now) },
    { label: 'Last 12 months', from: month(11), to: day(now) },
  ]
}

/** `field`: what is asked for beside the kind. */
export const scopeWords: Record<
  Budget['scopeKind'],
  { word: string; field: string | null; hint: string }
> = {
  all: { word: 'Everything', field: null, hint: '' },
  provider: {
    word: 'A cloud',
    field: 'Cloud',
    hint: 'aws, azure, gcp, oci, or the name in the bill.',
  },
  service: { word: 'A service', field: 'Service', hint: 'The name in the bill, in any case.' },
  tag: {
    word: 'A tag',
    field: 'Tag',
    hint: 'A key and a value, such as team=web, or untagged.',
  },
  account: {
    word: 'A cloud account',
    field: 'Cloud account',
    hint: 'The number in the address of the account’s page.',
  },
  workspace: {
    word: 'A workspace',
    field: 'Workspace',
    hint: 'The number in the address of the workspace’s page.',
  },
  subAccount: { word: 'A sub-account', field: 'Sub-account', hint: 'As the bill names it.' },
}

export const scopeInWords = ({
  scopeKind,
  scopeValue,
}: Pick<Budget, 'scopeKind' | 'scopeValue'>): string =>
  scopeValue === null
    ? scopeWords[scopeKind].word
    : `${scopeWords[scopeKind].word}: ${(scopeKind === 'provider' && names[scopeValue]) || scopeValue}`

export const budgetStateWords: Record<
  Budget['state'],
  { tone: string; sign: string; word: string }
> = {
  ok: { tone: 'good', sign: '✓', word: 'Within budget' },
  warn: { tone: 'warn', sign: '◆', word: 'Close to the amount' },
  exceeded: { tone: 'bad', sign: '✗', word: 'Exceeded' },
  unknown: { tone: 'quiet', sign: '○', word: 'Not known' },
}

/** Why a budget has no forecast, and where that is seen or changed. */
export const noForecastWords: Record<
  NonNullable<Budget['noForecastBecause']>,
  {
    words: string
    link?: { to: '/cost/bills' | '/organization/settings'; hash?: string; label: string }
  }
> = {
  no_tag_key: {
    words: 'the settings name no tag key, which this budget needs.',
    link: { to: '/organization/settings', label: 'Settings' },
  },
  no_cost: {
    words: 'no bill has had cost of this budget yet.',
    link: { to: '/cost/bills', label: 'Bills' },
  },
  late_bill: {
    words: 'a bill is more than 5 days late, or no more bills are expected.',
    link: { to: '/cost/bills', label: 'Bills' },
  },
  no_rate: {
    words: 'there is no exchange rate for a part of the cost.',
    link: { to: '/cost/bills', hash: ratesHash, label: 'Exchange rates' },
  },
  short_history: { words: 'it needs 14 days of cost.' },
  pending: { words: 'it is being computed.' },
}

export const monthWords = (month: string): string =>
  new Date(`${month}-01T00:00:00Z`).toLocaleDateString('en', {
    timeZone: 'UTC',
    month: 'long',
    year: 'numeric',
  })

export const triggerWords: Record<Ingest['trigger'], string> = {
  schedule: 'by schedule',
  request: 'asked for',
  connect: 'after connecting an account',
  upload: 'upload',
}

export const ingestStateWords: Record<
  Ingest['state'],
  { tone: string; sign: string; word: string }
> = {
  running: { tone: 'info', sign: '●', word: 'Running' },
  succeeded: { tone: 'good', sign: '✓', word: 'Succeeded' },
  partial: { tone: 'warn', sign: '◆', word: 'Partly loaded' },
  failed: { tone: 'bad', sign: '✗', word: 'Failed' },
}

export const sliceStateWords: Record<BillSlice['state'], { tone: string; word: string }> = {
  reading: { tone: '', word: 'reading' },
  loaded: { tone: 'good', word: 'loaded' },
  unchanged: { tone: '', word: 'unchanged' },
  waiting: { tone: '', word: 'not ready' },
  refused: { tone: 'bad', word: 'refused' },
  suspect: { tone: 'warn', word: 'much smaller than before' },
  discarded: { tone: '', word: 'discarded' },
  superseded: { tone: '', word: 'replaced' },
}
