import type { Deps } from '../../../api/deps.ts'
import { waitForIngest } from '../../../api/finops/ingests/wait-for-ingest.ts'
import { receiveFiles } from '../../../api/finops/uploads/receive-upload.ts'
import { uploadBill } from '../../../api/finops/uploads/upload-bill.ts'
import type { Caller } from '../../../domain/access/caller.ts'
import { billingSources } from '../../../store/finops/billing-sources.ts'
import { chargesOfMonth, demoMonths, lastDayOf, restatedMonth } from './demo-months.ts'
import type { DemoCloud } from './demo-resource.ts'
import { focusFile } from './focus-file.ts'

type Filling = { owner: Caller; anchor: string; today: string; signal: AbortSignal }

const sourceOf = (cloud: DemoCloud) => `demo-${cloud}`

/** Whether bills come from elsewhere than the demo, or may come: a cloud account, or an upload of another name. */
export async function hasOwnBills(
  { store }: Deps,
  { organizationId }: Pick<Caller, 'organizationId'>,
): Promise<boolean> {
  const { rows } = await store.platform.raw(
    `select exists (select from cloud_accounts where organization_id = :organizationId and disconnected_at is null)
       or exists (select from billing_sources where organization_id = :organizationId and removed_at is null
         and (name is null or name <> all(:names))) as own`,
    { organizationId, names: (['aws', 'azure', 'gcp'] as const).map(sourceOf) },
  )
  return rows[0].own
}

/**
 * The day on which the demo was first filled in: its bills stay the same from then on, and only get longer.
 * Kept as the day on which the first source was made.
 */
export async function demoAnchor({ store }: Deps, { organizationId }: Caller): Promise<string> {
  const source = await store.tenant(organizationId, async (tenant) =>
    billingSources(tenant).ensureNamed(sourceOf('aws')),
  )
  return source.createdAt.toISOString().slice(0, 10)
}

/**
 * Uploads the bills of a cloud as a person does: the months that are not there, and the newest ones up to
 * yesterday. AWS restates a month by a second upload. What is there already is left alone.
 */
export async function uploadDemoBills(
  deps: Deps,
  filling: Filling,
  cloud: DemoCloud,
): Promise<void> {
  const { anchor, today } = filling
  await untilNoIngest(deps, filling)
  const held = await heldMonths(deps, filling, cloud)
  const missing = demoMonths({ anchor, today }).filter(
    (month) => (held.get(month)?.lastDay ?? '') < lastDayOf(month, today),
  )
  if (missing.length > 0) await upload(deps, filling, { cloud, months: missing, isDraft: true })
  const restated = restatedMonth(anchor)
  const wasRestated = (held.get(restated)?.loads ?? 0) > 1 && !missing.includes(restated)
  if (cloud === 'aws' && !wasRestated)
    await upload(deps, filling, { cloud, months: [restated], isDraft: false })
}

type Uploading = { cloud: DemoCloud; months: readonly string[]; isDraft: boolean }

async function upload(deps: Deps, filling: Filling, uploading: Uploading): Promise<void> {
  const { owner } = filling
  const { cloud } = uploading
  const parts = filesOf(filling, uploading)
  const received = await receiveFiles(deps, owner, { parts, source: sourceOf(cloud) })
  const { ingestId } = await uploadBill(deps, owner, { upload: received, key: undefined })
  await untilOver(deps, filling, ingestId)
}

/** Waits of 25 seconds. */
const waitsAtMost = 20

async function untilOver(deps: Deps, { owner, signal }: Filling, ingestId: number): Promise<void> {
  const { organizationId } = owner
  for (let wait = 0; wait < waitsAtMost; wait += 1) {
    if (await waitForIngest(deps, { organizationId, ingestId }, signal)) return
    signal.throwIfAborted()
  }
  throw new Error(`ingest ${ingestId} does not end`)
}

async function* filesOf({ anchor, today }: Filling, { cloud, months, isDraft }: Uploading) {
  for (const month of months) {
    const charges = chargesOfMonth({ cloud, month, anchor, today, isDraft })
    const content = await focusFile(cloud, charges)
    const fileName = `${cloud}-${month}.csv.gz`
    yield { kind: 'file' as const, name: 'file', fileName, pieces: once(content) }
  }
}

async function* once(content: Buffer) {
  yield content
}

/** After a start that was interrupted, its ingest goes on. */
async function untilNoIngest(deps: Deps, filling: Filling): Promise<void> {
  const { organizationId } = filling.owner
  const [live] = await deps.store
    .platform('billing_ingests')
    .where({ organizationId, state: 'running' })
    .select('id')
  if (live) await untilOver(deps, filling, live.id)
}

/** The last day of each month that is there, and how often it was loaded. */
async function heldMonths(
  { store }: Deps,
  { owner: { organizationId } }: Filling,
  cloud: DemoCloud,
): Promise<Map<string, { lastDay: string; loads: number }>> {
  const { rows } = await store.platform.raw(
    `select to_char(l.period, 'YYYY-MM') as month, count(*)::integer as loads,
       max(l.last_day) filter (where l.is_current)::text as "lastDay"
     from billing_slices l join billing_sources s
       on s.organization_id = l.organization_id and s.id = l.source_id and s.removed_at is null
     where l.organization_id = ? and s.name = ? and l.state in ('loaded', 'superseded')
     group by 1 having bool_or(l.is_current)`,
    [organizationId, sourceOf(cloud)],
  )
  const found = rows as Array<{ month: string; loads: number; lastDay: string }>
  return new Map(found.map(({ month, ...held }) => [month, held]))
}
