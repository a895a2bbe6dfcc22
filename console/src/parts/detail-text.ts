import { fieldWords } from '../words/field-words.ts'

const maxShown = 300

/** The details of a log entry as text: names with values, or with the old and the new value. */
export function detailText(detail: unknown): string {
  if (typeof detail !== 'object' || detail === null) return ''
  return Object.entries(detail)
    .map(([name, value]) => `${fieldWords(name).toLowerCase()}: ${valueText(value)}`)
    .join(' · ')
    .slice(0, maxShown)
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'object' && value !== null && 'from' in value && 'to' in value)
    return `${valueText(value.from ?? 'none')} → ${valueText(value.to ?? 'none')}`
  return JSON.stringify(value)
}
