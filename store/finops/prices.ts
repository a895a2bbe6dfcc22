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

    async list(limit: number, after: number): Promise<StoredPrice[]> {
      return rows().where('id', '>', after).orderBy('id').limit(limit)
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
