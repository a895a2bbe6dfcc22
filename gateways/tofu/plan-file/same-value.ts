import { isRecord } from '../../../domain/infrastructure/record.ts'
import { unknown, type PlanValue } from './read-value.ts'

/**
 * Whether JSON of `tofu show` says what a value of the plan file is. An unknown value is absent in
 * an object and null in a list, as OpenTofu leaves it out (jsonplan.omitUnknowns).
 */
export function isSame(value: PlanValue, shown: unknown): boolean {
  if (value === unknown || value === null) return shown === null || shown === undefined
  if (typeof value === 'boolean' || typeof value === 'number') return shown === value
  if (typeof value === 'string') return shown === value || isNumber(value, shown)
  if (Array.isArray(value)) {
    if (!Array.isArray(shown) || shown.length !== value.length) return false
    return value.every((item, at) =>
      item === unknown ? shown[at] === null : isSame(item, shown[at]),
    )
  }
  if (!isRecord(shown)) return false
  let known = 0
  for (const [key, item] of value) {
    const has = Object.hasOwn(shown, key)
    if (has === (item === unknown)) return false
    if (!has) continue
    known += 1
    // Null is a value here: an attribute that is left out is another one.
    if (shown[key] === undefined || !isSame(item, shown[key])) return false
  }
  return known === Object.keys(shown).length
}

/** Whether `after_unknown` says where the value is unknown (jsonplan.unknownAsBool). */
export function isSameUnknown(value: PlanValue, shown: unknown): boolean {
  if (value === unknown) return shown === true
  if (value === null || typeof value !== 'object') return shown === false || shown === undefined
  if (Array.isArray(value))
    return (
      Array.isArray(shown) &&
      shown.length === value.length &&
      value.every((item, at) => isSameUnknown(item, shown[at]))
    )
  if (!isRecord(shown)) return false
  let said = 0
  for (const [key, item] of value) {
    const has = Object.hasOwn(shown, key)
    const isScalar = item === null || (typeof item !== 'object' && item !== unknown)
    if (has === isScalar) return false
    if (!has) continue
    said += 1
    if (!isSameUnknown(item, shown[key])) return false
  }
  return said === Object.keys(shown).length
}

/** Whether nothing in it is unknown. */
export function isKnown(value: PlanValue): boolean {
  if (value === unknown) return false
  if (value === null || typeof value !== 'object') return true
  if (Array.isArray(value)) return value.every(isKnown)
  for (const item of value.values()) if (!isKnown(item)) return false
  return true
}

/** A number that neither 64 bits nor a double hold is stored as its digits. */
const isNumber = (value: string, shown: unknown): boolean =>
  typeof shown === 'number' && /^-?\d+(\.\d+)?$/.test(value) && Number(value) === shown
