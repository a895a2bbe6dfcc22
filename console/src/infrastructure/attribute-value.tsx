import { useState } from 'react'
import { plainText } from '../parts/plain-text.ts'
import type { Attribute } from './plan.ts'
import { startOfDifference } from './value-form.ts'

type Side = 'before' | 'after'

/** A string is shown in quotes, as OpenTofu does. The text of a list or an object is shown without escapes. */
export function AttributeValue({ attribute, side }: { attribute: Attribute; side: Side }) {
  const value = attribute[side]
  // Where the value is known only after the apply, there is one nevertheless.
  if (attribute.unknown && side === 'after') return <span className="dim">known after apply</span>
  if (value === null) return <span className="dim">none</span>
  if (attribute.sensitive) return <span className="masked">•••• sensitive</span>
  if (typeof value !== 'string') return <span className="value">{String(value)}</span>
  const other = attribute[side === 'before' ? 'after' : 'before']
  const from =
    value.length > shownFirst && typeof other === 'string' ? startOfDifference(value, other) : 0
  return <LongText text={/^[[{]/.test(value) ? value : JSON.stringify(value)} from={from} />
}

const shownFirst = 1_000

/** The first thousand characters of a text, or those from `from` on, and all of it on request. */
export function LongText({ text, from = 0 }: { text: string; from?: number }) {
  const [whole, setWhole] = useState(false)
  if (text.length <= shownFirst || whole) return <span className="value">{plainText(text)}</span>
  const start = Math.min(from, text.length - shownFirst)
  const end = start + shownFirst
  return (
    <>
      <span className="value">
        {start > 0 && '…'}
        {plainText(text.slice(start, end))}
        {end < text.length && '…'}
      </span>{' '}
      <button type="button" className="link" onClick={() => setWhole(true)}>
        Show all {text.length.toLocaleString()} characters
      </button>
    </>
  )
}
