import { useEffect, useState } from 'react'
import { Button } from './forms.tsx'

const shownMs = 2_000

type CopyProps = { text: string; what?: string; word?: string }

/** Copies a text and shows the result. `navigator.clipboard` exists only in a secure context (HTTPS or localhost). */
export function CopyButton({ text, what, word = 'Copy' }: CopyProps) {
  const [state, setState] = useState<'copied' | 'failed'>()
  useEffect(() => {
    if (!state) return
    const timer = setTimeout(() => setState(undefined), shownMs)
    return () => clearTimeout(timer)
  }, [state])
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setState('copied')
    } catch {
      setState('failed')
    }
  }
  return (
    <Button onClick={() => void copy()} {...(what && { 'aria-label': `Copy ${what}` })}>
      <span role="status">
        {state === 'copied' ? 'Copied' : state === 'failed' ? 'Select it by hand' : word}
      </span>
    </Button>
  )
}

/** A labelled value with a button that copies it. */
export function CopyLine({ label, text }: { label: string; text: string }) {
  return (
    <div className="copy-line">
      <dt>{label}</dt>
      <dd>
        <code>{text}</code>
        <CopyButton text={text} what={label} />
      </dd>
    </div>
  )
}
