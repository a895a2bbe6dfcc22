const maxShown = 300

/** What an entry of a log carries beside its columns: names and values, from what to what. */
export function detailText(detail: unknown): string {
  if (typeof detail !== 'object' || detail === null) return ''
  return Object.entries(detail)
    .map(([name, value]) => `${name}: ${valueText(value)}`)
    .join(' · ')
    .slice(0, maxShown)
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'object' && value !== null && 'from' in value && 'to' in value)
    return `${valueText(value.from ?? 'none')} → ${valueText(value.to ?? 'none')}`
  return JSON.stringify(value)
}
