const day = (months: number, of = 1): string => {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, of))
    .toISOString()
    .slice(0, 10)
}

export const lastMonth = { from: day(1), to: day(0, 0) }

const year = `from=${day(11)}`
const payload = '/finops/cost'
const series = '/finops/cost/series'

/** What is asked of the API, by name. `<workspace>` is the id of one that owns a part of the cost. */
export const askedOfCost: Record<string, string> = {
  'payload, default window': payload,
  'payload, a year': `${payload}?${year}`,
  'payload, a year but days': `${payload}?from=${day(11, 9)}`,
  'payload, provider': `${payload}?${year}&provider=aws`,
  'payload, account': `${payload}?${year}&source=account-7`,
  'payload, sub-account': `${payload}?${year}&subAccountId=sub-7`,
  'payload, service': `${payload}?${year}&service=service-7`,
  'payload, region': `${payload}?${year}&region=region-7`,
  'payload, workspace': `${payload}?${year}&workspaceId=<workspace>`,
  'payload, owner': `${payload}?${year}&owner=unmanaged`,
  'payload, tag': `${payload}?${year}&tagKey=team&tagValue=team-5`,
  'payload, untagged': `${payload}?${year}&tagKey=team&untagged=true`,
  'payload, service and region': `${payload}?${year}&service=service-7&region=region-7`,
  'series, default window': series,
  ...Object.fromEntries(
    ['provider', 'service', 'account', 'subAccount', 'region', 'workspace', 'chargeCategory'].map(
      (groupBy) => [`series by ${groupBy}`, `${series}?${year}&groupBy=${groupBy}`],
    ),
  ),
  'series by tag': `${series}?${year}&groupBy=tag&tagKey=team`,
  'series by service, months': `${series}?${year}&groupBy=service&granularity=month`,
  'series by account, months': `${series}?${year}&groupBy=account&granularity=month`,
  'series by service, region': `${series}?${year}&groupBy=service&region=region-7`,
  'series by service, account': `${series}?${year}&groupBy=service&source=account-7`,
  'series by service, sub-account': `${series}?${year}&groupBy=service&subAccountId=sub-7`,
  'series by service, workspace': `${series}?${year}&groupBy=service&workspaceId=<workspace>`,
  'series by service, tag': `${series}?${year}&groupBy=service&tagKey=team&tagValue=team-5`,
  'series by region, service': `${series}?${year}&groupBy=region&service=service-7`,
  'series by account, service': `${series}?${year}&groupBy=account&service=service-7`,
  'series by sub-account, service': `${series}?${year}&groupBy=subAccount&service=service-7`,
}
