import { unwrap, type Tenant } from '../driver/tenant.ts'
import { Model, raw } from 'objection'
import { notFound } from '../../domain/errors.ts'

class PriceRow extends Model {
  static override tableName = 'prices'
  static override jsonAttributes = ['match', 'learned']
  declare id: number
  declare organizationId: number
  declare provider: string
  declare resourceType: string
  declare match: Record<string, string | number | boolean>
  /** Decimal text in the major unit, a month. */
  declare monthlyPrice: string
  declare currency: string
  declare source: string
  /** `YYYY-MM-DD` */
  declare validFrom: string
  /** A price that is switched off judges nothing. */
  declare enabled: boolean
  /** What it was learned from; null of a person's price. */
  declare learned: Learned | null
  declare learnedKey: string | null
  declare version: number
  declare createdAt: Date
  declare updatedAt: Date
}

export type Learned = {
  /** Resources. */
  sampleSize: number
  /** 0.1: they and their weeks differ by 10 %. */
  spread: number
  from: string
  to: string
  region: string | null
}

export type StoredPrice = Omit<PriceRow, keyof Model | 'organizationId'>
export type NewPrice = Pick<
  StoredPrice,
  'provider' | 'resourceType' | 'match' | 'monthlyPrice' | 'currency' | 'source' | 'validFrom'
>

export type PriceChange = Partial<
  NewPrice & Pick<StoredPrice, 'enabled' | 'learned' | 'learnedKey'>
>

/** Of the matches of a page of the price book, as JSON. */
const pageBytes = 393_216

export type PageOfPrices = { prices: StoredPrice[]; hasMore: boolean }

/** The price book of one organization: what a month of a resource costs. */
export function prices(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  const rows = () => PriceRow.query(db).where({ organizationId })

  return {
    async get(id: number): Promise<StoredPrice> {
      const row = await rows().findOne({ id })
      if (!row) throw notFound()
      return row
    },

    /** Locks the row until the transaction ends, so that concurrent changes run one after the other. */
    async getForUpdate(id: number): Promise<StoredPrice> {
      const row = await rows().findOne({ id }).forUpdate()
      if (!row) throw notFound()
      return row
    },

    /**
     * By id. A page ends before the price with which its matches would have more than `pageBytes`, but has at least
     * one: matches that were stored before one was held to 4 KiB may be longer than that.
     */
    async page(limit: number, after: number): Promise<PageOfPrices> {
      const { rows: found } = await db.raw(sizesOfPage, [organizationId, after, limit + 1])
      const shown = found
        .slice(0, limit)
        .filter(({ bytesSoFar }: Size, n: number) => n === 0 || Number(bytesSoFar) <= pageBytes)
      const ids = shown.map(({ id }: Size) => id)
      return {
        prices: await rows().whereIn('id', ids).orderBy('id'),
        hasMore: found.length > shown.length,
      }
    },

    async create(price: NewPrice): Promise<StoredPrice> {
      return PriceRow.query(db).insertAndFetch({ organizationId, ...price })
    },

    async update(id: number, change: PriceChange): Promise<StoredPrice> {
      const [row] = await PriceRow.query(db)
        .where({ organizationId, id })
        .patch({ ...change, version: raw('version + 1'), updatedAt: new Date() })
        .returning('*')
      if (!row) throw notFound()
      return row
    },

    async delete(id: number): Promise<void> {
      const count = await rows().where({ id }).delete()
      if (count === 0) throw notFound()
    },
  }
}

type Size = { id: number; bytesSoFar: string }

const sizesOfPage = `
  select id, sum(octet_length(match::text)) over (order by id) as "bytesSoFar"
  from (select id, match from prices where organization_id = ? and id > ? order by id limit ?) p order by id`
