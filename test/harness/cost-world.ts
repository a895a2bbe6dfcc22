import { scoreAnomalies } from '../../app/finops/score-anomalies.ts'
import { rollUpMonths } from '../../store/finops/roll-up-months.ts'
import { connectOwner } from '../../store/driver/connect.ts'
import { charge, loadCharges, storeCharges, type TestResourceCharge } from './cost-rows.ts'
import type { Harness } from './create-harness.ts'
import { dailyBills, levelCost } from './daily-bills.ts'
import type { TestOrganization } from './test-organization.ts'

const dayMs = 86_400_000
const dayAgo = (days: number): string =>
  new Date(Date.now() - days * dayMs).toISOString().slice(0, 10)

/** A day of last month, which is in the window that is shown without a choice. */
function lastMonth(day = 1): string {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, day))
    .toISOString()
    .slice(0, 10)
}

/** 70 days of a service in two sub-accounts with a spike in both, and a second service with one of its own. */
export async function withAnomalies(
  { deps }: Harness,
  org: TestOrganization,
): Promise<{ id: number; child: number; other: number }> {
  const bills = dailyBills(deps.store, org.id)
  const sourceId = await bills.source()
  const first = dayAgo(71)
  const lines = [
    ...levelCost(first, 70, { at: { 66: 640, 67: 700, 68: 690, 69: 705 }, subAccountId: 'shop' }),
    ...levelCost(first, 70, { at: { 67: 300, 68: 310, 69: 320 }, subAccountId: 'warehouse' }),
    ...levelCost(first, 70, { level: 40, at: { 69: 190 }, service: 'Elastic Compute' }),
  ]
  await scoreAnomalies(deps.store, org.id, await bills.load(sourceId, lines))
  // The sums that pages read, as a swap makes them.
  const slices = await bills.ask(
    'select id from billing_slices where organization_id = :organizationId and is_current',
  )
  for (const { id } of slices)
    await deps.store.tenant(org.id, async (tenant) => rollUpMonths(tenant, Number(id)))
  const drivers = [
    { dimension: 'resource', value: 'arn:aws:s3:::orders-archive', amount: 1_900, share: 0.87 },
    { dimension: 'tag', value: 'team=checkout', amount: 1_700, share: 0.78 },
    { dimension: 'region', value: 'eu-central-1', amount: 1_650, share: 0.75 },
  ]
  await bills.ask(
    `update anomalies set drivers = :drivers::jsonb
     where organization_id = :organizationId and parent_id is null returning id`,
    { drivers: JSON.stringify(drivers) },
  )
  const found = await bills.ask(
    `select a.id, a.parent_id, s.service from anomalies a
       join anomaly_series s on s.organization_id = a.organization_id and s.id = a.series_id
     where a.organization_id = :organizationId and a.state = 'open' order by a.id`,
  )
  const child = found.find((row) => row['parentId'] ?? row['parent_id'])
  const parent = child?.['parentId'] ?? child?.['parent_id']
  const other = found.find((row) => row['service'] === 'Elastic Compute')
  return { id: Number(parent), child: Number(child?.['id']), other: Number(other?.['id']) }
}

/** Spend of four months, so that each page of cost has something. */
export async function withSpend({ deps }: Harness, org: TestOrganization): Promise<void> {
  const days = Array.from({ length: 120 }, (_, n) => dayAgo(n))
  await storeCharges(
    deps.store.platform,
    org.id,
    days.flatMap((day, ago) =>
      ['Compute', 'Storage', 'Databases', 'Support'].map((service, n) =>
        charge({
          day,
          service,
          owner: service === 'Support' ? 'none' : n % 2 === 0 ? 'unmanaged' : 'none',
          region: n % 2 === 0 ? 'eu-west-1' : null,
          effective: (20 * (n + 1) + (ago % 7)).toFixed(2),
          tags: n % 2 === 0 ? {} : { team: `team-${n}` },
        }),
      ),
    ),
  )
}

/** Charges of resources in last month, none of them held by a workspace. */
export async function withUnmanaged(
  { deps, config }: Harness,
  org: TestOrganization,
  count = 40,
): Promise<void> {
  const owner = connectOwner(config.databaseUrl)
  const services = ['Amazon S3', 'Amazon EC2', 'Amazon RDS', 'AWS Lambda']
  const charges: TestResourceCharge[] = Array.from({ length: count }, (_, n) => ({
    day: lastMonth(1 + (n % 27)),
    resourceId:
      n % 4 === 0
        ? `arn:aws:s3:::bucket-${String(n).padStart(5, '0')}`
        : `arn:aws:ec2:eu-west-1:123456789012:instance/i-${String(n).padStart(17, '0')}`,
    effective: (1 + (n % 97) * 1.25).toFixed(2),
    service: services[n % services.length] ?? '',
    tags: n % 3 === 0 ? {} : { team: `team-${n % 5}`, env: 'production' },
  }))
  // What has no resource, as support.
  charges.push({ day: lastMonth(3), resourceId: null, effective: '75.5', service: 'Support' })
  try {
    await loadCharges({ owner, db: deps.store.platform, organizationId: org.id }, charges)
  } finally {
    await owner.destroy()
  }
}
