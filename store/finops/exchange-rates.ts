import { notFound } from '../../domain/errors.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

/** One unit of `base` is so many of `quote`, in the bills of a month. */
export type ExchangeRate = {
  id: number
  /** `YYYY-MM` */
  month: string
  base: string
  quote: string
  /** Decimal text. */
  rate: string
  kind: 'person' | 'ecb'
  createdAt: Date
  updatedAt: Date
}
export type NewRate = Pick<ExchangeRate, 'month' | 'base' | 'quote' | 'rate'>

/** The exchange rates of one organization. */
export function exchangeRates(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  const rows = () =>
    db('exchangeRates')
      .where({ organizationId })
      .select('id', 'base', 'quote', 'rate', 'kind', 'createdAt', 'updatedAt')
      .select(db.raw(`to_char(month, 'YYYY-MM') as month`))

  return {
    async get(id: number): Promise<ExchangeRate> {
      const row = await rows().where({ id }).first()
      if (!row) throw notFound()
      return row
    },

    async list(limit: number, after: number): Promise<ExchangeRate[]> {
      return rows().where('id', '>', after).orderBy('id').limit(limit)
    },

    /** Locks the rate of this month and pair, so that of two changes each sees the one before. */
    async find({ month, base, quote }: NewRate): Promise<ExchangeRate | undefined> {
      const of = { month: `${month}-01`, base, quote }
      return rows().where(of).forUpdate().first()
    },

    /** A person's rate takes the place of any other. */
    async put({ month, base, quote, rate }: NewRate, userId: number): Promise<number> {
      const [row] = await db('exchangeRates')
        .insert({
          organizationId,
          month: `${month}-01`,
          base,
          quote,
          rate,
          kind: 'person',
          createdBy: userId,
        })
        .onConflict(['organizationId', 'month', 'base', 'quote'])
        .merge({ rate, kind: 'person', createdBy: userId, updatedAt: new Date() })
        .returning('id')
      return row.id
    },

    async delete(id: number): Promise<ExchangeRate> {
      const row = await rows().where({ id }).forUpdate().first()
      if (!row) throw notFound()
      await db('exchangeRates').where({ organizationId, id }).delete()
      return row
    },
  }
}

/** Sets a reference rate where there is none yet; undefined where there is one. */
export async function addReferenceRate(
  tenant: Tenant,
  { month, base, quote, rate }: NewRate,
): Promise<number | undefined> {
  const { db, organizationId } = unwrap(tenant)
  const [row] = await db('exchangeRates')
    .insert({ organizationId, month: `${month}-01`, base, quote, rate, kind: 'ecb' })
    .onConflict(['organizationId', 'month', 'base', 'quote'])
    .ignore()
    .returning('id')
  return row?.id
}
