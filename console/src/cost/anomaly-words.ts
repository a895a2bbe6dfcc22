import { providerName } from '../clouds/cloud-words.ts'
import type { Body } from '../api/call.ts'
import type { CostSearch } from '../app/searches.ts'
import type { Anomaly } from './queries.ts'

type Look = { tone: string; sign: string; word: string }
export type Verdict = Body<'decideAnomaly'>['state']

export const anomalyStateWords: Record<Anomaly['state'], Look> = {
  open: { tone: 'warn', sign: '◆', word: 'Open' },
  acknowledged: { tone: 'info', sign: '●', word: 'Acknowledged' },
  expected: { tone: 'quiet', sign: '✓', word: 'Expected' },
  not_anomaly: { tone: 'quiet', sign: '–', word: 'Not an anomaly' },
  resolved: { tone: 'good', sign: '✓', word: 'Over' },
}

export const severityWords: Record<Anomaly['severity'], { tone: string; word: string }> = {
  low: { tone: '', word: 'low' },
  medium: { tone: 'warn', word: 'medium' },
  high: { tone: 'bad', word: 'high' },
}

export const kindWords: Record<Anomaly['kind'], string> = {
  rise: 'The cost rose',
  drift: 'The cost rises slowly',
  new_spend: 'New spend',
}

type Driver = Anomaly['drivers'][number]

export const dimensionWords: Record<Driver['dimension'], string> = {
  region: 'Region',
  subAccount: 'Sub-account',
  sku: 'SKU',
  resource: 'Resource',
  tag: 'Tag',
}

/** What each verdict does, for the person who gives it. */
export const verdictWords: Record<
  Verdict,
  { label: string; title: string; act: string; does: string }
> = {
  acknowledged: {
    label: 'Acknowledge…',
    title: 'Acknowledge this anomaly?',
    act: 'Acknowledge',
    does: 'It stays in the list as seen by you. Nothing changes in how the cost is judged.',
  },
  expected: {
    label: 'Expected…',
    title: 'Was this cost expected?',
    act: 'It was expected',
    does: 'Its days count as usual cost from the next bill on, so the same cost is not reported again.',
  },
  not_anomaly: {
    label: 'Not an anomaly…',
    title: 'Is this no anomaly?',
    act: 'It is no anomaly',
    does: 'From the next bill on this cost is judged less strictly, and the mark disappears from the chart of cost.',
  },
  open: {
    label: 'Open again…',
    title: 'Open this anomaly again?',
    act: 'Open again',
    does: 'It is listed as open, and the earlier verdict no longer counts.',
  },
}

/** The verdicts that change something. */
export const verdictsFor = (state: Anomaly['state']): Verdict[] => {
  const all: Verdict[] = ['acknowledged', 'expected', 'not_anomaly', 'open']
  return all.filter((one) => one !== state && !(one === 'open' && state === 'resolved'))
}

const cloudNames: Readonly<Record<string, string>> = providerName

type Named = Pick<Anomaly, 'provider' | 'service' | 'scope'>

/** What an anomaly is of: `AWS AmazonEC2`, `All spend`, `Tag team=a`. */
export function nameOfAnomaly({ provider, service, scope }: Named): string {
  if (scope?.kind === 'total') return 'All spend'
  if (scope) return `Tag ${scope.value}`
  return [provider === null ? null : (cloudNames[provider] ?? provider), service]
    .filter((one) => one !== null)
    .join(' ')
}

/** The search of the page of cost that shows the days of an anomaly, and of what it is. */
export function costOfAnomaly(anomaly: Anomaly): CostSearch {
  const { provider, service, scope, firstDay, lastDay, accountId, source } = anomaly
  if (scope) return { from: firstDay, to: lastDay, ...filterOfTag(scope.value), groupBy: 'service' }
  return {
    from: firstDay,
    to: lastDay,
    ...(provider !== null && { provider }),
    ...(service !== null && { service }),
    ...(accountId !== null ? { accountId } : source !== null && { source }),
    groupBy: 'region',
  }
}

/** Of `key=value`; nothing of what is no tag. */
function filterOfTag(tag: string): Pick<CostSearch, 'tagKey' | 'tagValue'> | undefined {
  const at = tag.indexOf('=')
  return at < 1 ? undefined : { tagKey: tag.slice(0, at), tagValue: tag.slice(at + 1) }
}

/** The same, of one driver. Undefined where no filter of the page finds it. */
export function costOfDriver(anomaly: Anomaly, driver: Driver): CostSearch | undefined {
  const search = costOfAnomaly(anomaly)
  if (driver.dimension === 'subAccount') return { ...search, subAccountId: driver.value }
  const tag = driver.dimension === 'tag' ? filterOfTag(driver.value) : undefined
  return tag && { ...search, ...tag }
}
