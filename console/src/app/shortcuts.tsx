import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { Button } from '../parts/forms.tsx'
import { Dialog } from '../parts/dialog.tsx'

const places = {
  h: ['/', 'Home'],
  w: ['/workspaces', 'Workspaces'],
  r: ['/runs', 'Runs'],
  p: ['/pipelines', 'Pipelines'],
  c: ['/clouds', 'Clouds'],
  m: ['/cost', 'Cost'],
  o: ['/organization', 'Organization'],
} as const

const isPlace = (key: string): key is keyof typeof places => key in places
const sequenceMs = 1_500

/** `g` and a letter open a page, `?` lists the shortcuts. Ignored while a form field has the focus. */
export function useShortcuts(onHelp: () => void): void {
  const navigate = useNavigate()
  useEffect(() => {
    let begunAt = 0
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      if (event.key === '?') return onHelp()
      if (Date.now() - begunAt < sequenceMs && isPlace(event.key)) {
        begunAt = 0
        event.preventDefault()
        void navigate({ to: places[event.key][0] })
      } else begunAt = event.key === 'g' ? Date.now() : 0
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [navigate, onHelp])
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest('input, textarea, select, [contenteditable], dialog, [role="menu"]') !== null

export function ShortcutHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl className="keys">
        {Object.entries(places).map(([key, [, name]]) => (
          <div key={key}>
            <dt>
              <kbd>g</kbd> <kbd>{key}</kbd>
            </dt>
            <dd>{name}</dd>
          </div>
        ))}
        <div>
          <dt>
            <kbd>a</kbd>
          </dt>
          <dd>On a waiting run: review and approve</dd>
        </div>
        <div>
          <dt>
            <kbd>/</kbd>
          </dt>
          <dd>Search in the log, filter a list</dd>
        </div>
        <div>
          <dt>
            <kbd>?</kbd>
          </dt>
          <dd>This list</dd>
        </div>
      </dl>
      <div className="dialog-actions">
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  )
}

/** Registers a shortcut of one page. */
export function useKey(key: string, act: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== key || event.ctrlKey || event.metaKey || event.altKey) return
      if (isTyping(event.target)) return
      event.preventDefault()
      act()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [key, act])
}
