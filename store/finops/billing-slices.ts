import { notFound } from '../../domain/errors.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

export type LoadedSlice = {
  id: number
  ingestId: number
  sourceId: number
  /** The first day of the billing month. */
  period: string
  state: string
  isCurrent: boolean
  /** When its files were found as they are. */
  beganAt: Date
  completeThrough: string | null
  /** When its sums were made; null again where charges came later. */
  rolledUpAt: Date | null
  /** The bill's own names by provider. */
  providerNames: Record<string, string[]>
  manifestHash: string | null
  /** Its tags are to be read again out of the same files. */
  readAgain: boolean
  /** Of the bill itself. */
  rowsRead: number
  /** Rows at day grain. */
  records: number
  recordsUpserted: number
  recordsRemoved: number
  days: number
  /** Decimal text. */
  billed: string
  effective: string
  list: string
  firstDay: string | null
  lastDay: string | null
}

const columns = [
  'id',
  'ingestId',
  'sourceId',
  'period',
  'state',
  'isCurrent',
  'beganAt',
  'completeThrough',
  'rolledUpAt',
  'providerNames',
  'manifestHash',
  'readAgain',
  'rowsRead',
  'records',
  'recordsUpserted',
  'recordsRemoved',
  'days',
  'billed',
  'effective',
  'list',
  'firstDay',
  'lastDay',
]

/** The slices of one organization that have charges: how one becomes the current one, or does not. */
export function billingSlices(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  const rows = () => db('billing_slices').where({ organizationId })

  return {
    async get(id: number): Promise<LoadedSlice> {
      const row = await rows().where({ id }).first(columns)
      if (!row) throw notFound()
      return row
    },

    /** Locks the row until the transaction ends. */
    async getForUpdate(id: number): Promise<LoadedSlice> {
      const row = await rows().where({ id }).forNoKeyUpdate().first(columns)
      if (!row) throw notFound()
      return row
    },

    /** The one that readers see. */
    async current(sourceId: number, period: string): Promise<LoadedSlice | undefined> {
      return rows().where({ sourceId, period, isCurrent: true }).first(columns)
    },
  }
}
