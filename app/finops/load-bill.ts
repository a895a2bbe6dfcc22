import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { addDecimals } from '../../domain/finops/add-decimals.ts'
import { conflict, unavailable } from '../../domain/errors.ts'
import { manifestOfUpload } from '../../domain/finops/upload-names.ts'
import type { ProgramAnswer, ReadSlice } from '../../gateways/duckdb/program/protocol.ts'
import type { Store } from '../../store/driver/connect.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { billingSources } from '../../store/finops/billing-sources.ts'
import { copyCharges } from '../../store/finops/copy-charges.ts'
import { monthsOfUpload, readAgain } from '../../store/finops/read-again.ts'
import { readingSlices } from '../../store/finops/reading-slices.ts'
import { refusedSlices } from '../../store/finops/refused-slices.ts'
import {
  organizationSettings,
  type OrganizationSettings,
} from '../../store/organizations/settings.ts'

type Bill = {
  organizationId: number
  ingestId: number
  sourceId: number
  sliceId?: number
  uploadId?: number
  /** By their keys, which people are shown. */
  files: ReadonlyArray<{ key: string }>
  /** Under which it was read. */
  tagAliases: OrganizationSettings['tagAliases']
  bill: ProgramAnswer
}

/**
 * Loads what was read of a bill, each month into a slice that nobody sees yet, or notes why it was refused.
 * Answers the slices. Idempotent: a slice that is being read is loaded anew.
 */
export async function loadBill(store: Store, read: Bill): Promise<number[]> {
  const { bill } = read
  if (bill.kind === 'refused') {
    await refuse(store, read, bill)
    return []
  }
  const months = await beginMonths(store, read, bill.slices)
  for (const { sliceId, parts } of months) {
    await store.tenant(read.organizationId, async (tenant) =>
      readingSlices(tenant).dropCharges(sliceId),
    )
    for (const { path } of parts)
      await copyCharges(store, { organizationId: read.organizationId, sliceId }, () =>
        createReadStream(path),
      ).catch(refuseForGood)
    const sums = sumsOf(parts, bill.focusVersion)
    await store.tenant(read.organizationId, async (tenant) =>
      readingSlices(tenant).noteRead(sliceId, sums),
    )
  }
  return months.map(({ sliceId }) => sliceId)
}

/**
 * A value that PostgreSQL refuses (SQLSTATE classes 22, data exception, and 23, integrity constraint violation) is
 * refused at each attempt, so the load is not tried again. PostgreSQL's text may quote the bill, so it stays out.
 */
function refuseForGood(error: unknown): never {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (/^2[23][0-9A-Z]{3}$/.test(code))
    throw conflict('bill_refused', `The bill has a value that cannot be stored (SQLSTATE ${code}).`)
  throw error
}

async function refuse(
  store: Store,
  { organizationId, ingestId, sourceId, sliceId, uploadId, files }: Bill,
  { rejected, errors }: ProgramAnswer & { kind: 'refused' },
): Promise<void> {
  const reason = errors[0]?.message ?? 'The bill cannot be read.'
  await store.tenant(organizationId, async (tenant) => {
    const slices = refusedSlices(tenant)
    const at = { ingestId, sourceId }
    const found = { errors, rejected, contentRefused: true }
    if (sliceId !== undefined) await slices.refuseReading({ ...at, sliceId }, reason, found)
    else if (uploadId !== undefined)
      await slices.refuseUpload(
        { ...at, manifest: manifestOfUpload(uploadId), files: files.length },
        reason,
        found,
      )
  })
}

type Month = { sliceId: number; parts: ReadSlice[] }
type Uploaded = { bill: Bill; uploadId: number | undefined; slices: readonly ReadSlice[] }

/**
 * An export of a month is one slice, also where a provider put charges of another billing period into it:
 * it is replaced as a whole. An upload has a slice for each of its months; read again, for those that are to be.
 */
async function beginMonths(
  store: Store,
  bill: Bill,
  slices: readonly ReadSlice[],
): Promise<Month[]> {
  const { organizationId, sourceId, sliceId, uploadId } = bill
  return store.tenant(organizationId, async (tenant) => {
    // A change of the aliases holds it too: it comes before, and is seen here, or finds the slices that are begun.
    await billingSources(tenant).hold(sourceId)
    const { tagAliases } = await organizationSettings(tenant)
    if (!isDeepStrictEqual(tagAliases, bill.tagAliases))
      throw unavailable('aliases_changed', 'The keys that are one tag changed meanwhile.')
    const months =
      sliceId !== undefined
        ? [{ sliceId, parts: [...slices] }]
        : await beginUpload(tenant, { bill, uploadId, slices })
    await readAgain(tenant).unmark(months.map((month) => month.sliceId))
    return months
  })
}

async function beginUpload(tenant: Tenant, { bill, uploadId, slices }: Uploaded): Promise<Month[]> {
  if (uploadId === undefined) throw new Error('A bill is a slice or an upload.')
  const { ingestId, sourceId, files } = bill
  const manifest = manifestOfUpload(uploadId)
  const all = slices.map(({ period }) => `${period}-01`)
  const wanted = await monthsOfUpload(tenant, { id: uploadId, sourceId }, all)
  const months: Month[] = []
  for (const slice of slices) {
    const period = `${slice.period}-01`
    if (!wanted.includes(period)) continue
    const { id } = await readingSlices(tenant).beginReading({
      ingestId,
      sourceId,
      period,
      manifest,
      manifestHash: createHash('sha256').update(manifest).digest('hex'),
      files: files.length,
    })
    months.push({ sliceId: id, parts: [slice] })
  }
  return months
}

const extreme = (days: Array<string | null>, last: boolean): string | null => {
  const sorted = days.filter((day) => day !== null).toSorted()
  return (last ? sorted.at(-1) : sorted[0]) ?? null
}

function sumsOf(parts: readonly ReadSlice[], focusVersion: string) {
  const currencies = new Set(parts.map(({ currency }) => currency))
  const [currency = null] = currencies.size === 1 ? currencies : []
  const count = (of: (part: ReadSlice) => number) => parts.reduce((sum, part) => sum + of(part), 0)
  return {
    focusVersion,
    rowsRead: count(({ rowsRead }) => rowsRead),
    records: count(({ rows }) => rows),
    days: count(({ days }) => days),
    billed: addDecimals(parts.map(({ billed }) => billed)),
    effective: addDecimals(parts.map(({ effective }) => effective)),
    list: addDecimals(parts.map(({ list }) => list)),
    currency,
    firstDay: extreme(
      parts.map(({ firstDay }) => firstDay),
      false,
    ),
    lastDay: extreme(
      parts.map(({ lastDay }) => lastDay),
      true,
    ),
  }
}
