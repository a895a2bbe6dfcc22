import { isUuid } from '../../domain/scim/is-uuid.ts'
import { nothing, type Indexed } from './filter-to-sql.ts'

/** Equality with a public id: by its index, or never. */
export const idCondition = (text: string, value: string): Indexed => ({
  ...(isUuid(value) ? { text, bindings: [value] } : nothing),
  complete: true,
})
