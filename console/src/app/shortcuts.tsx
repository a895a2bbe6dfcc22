import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { Button } from '../parts/forms.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { pressKeyed, walkRows } from './list-keys.ts'

const places = {
  h: ['/', 'Home'],
  w: ['/workspaces', 'Workspaces'],
  r: ['/runs', 'Runs'],
  p: ['/pipelines', 'Pipelines'],
  c: ['/clouds', 'Clouds'],
  m: ['/cost', 'Cost'],
  o: ['/organization', 'Organization'],
} as const

const others = [
  ['Ctrl K', 'Search pages, workspaces, runs, people and actions'],
  ['j', 'Next row of a list'],
  ['k', 'Previous row of a list'],
  ['c', 'Create: a workspace or a pipeline; on a workspace, start a run'],
  ['e', 'On a workspace: edit its files'],
  ['a', 'On a waiting run: review and approve'],
  ['/', 'Search in the log, filter a list'],
  ['?', 'This list'],
] as const

const isPlace = (key: string): key is keyof typeof places => key in places
const sequenceMs = 1_500

type Shortcuts = { onHelp: () => void; onPalette: () => void }

/**
 * `g` and a letter open a page, `?` lists the shortcuts, `j` and `k` walk over a list. Ignored while a
 * form field has the focus, but for Ctrl-K.
 */
export function useShortcuts({ onHelp, onPalette }: Shortcuts): void {
  const navigate = useNavigate()
  useEffect(() => {
    let begunAt = 0
    const onKey = (event: KeyboardEvent) => {
      if (isPaletteKey(event)) {
        event.preventDefault()
        if (!document.querySelector('dialog[open]')) onPalette()
        return
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return
      if (event.key === '?') return onHelp()
      if (Date.now() - begunAt < sequenceMs && isPlace(event.key)) {
        begunAt = 0
        event.preventDefault()
        void navigate({ to: places[event.key][0] })
        return
      }
      begunAt = event.key === 'g' ? Date.now() : 0
      if (actOnPage(event.key)) event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [navigate, onHelp, onPalette])
}

const isPaletteKey = (event: KeyboardEvent): boolean =>
  (event.ctrlKey || event.metaKey) &&
  !event.altKey &&
  !event.shiftKey &&
  event.key.toLowerCase() === 'k'

/** False if the key means nothing on this page. */
function actOnPage(key: string): boolean {
  if (key === 'j' || key === 'k') return walkRows(key === 'j' ? 1 : -1)
  return (key === 'c' || key === 'e') && pressKeyed(key)
}

/** By the path of the event: outside of the editor's shadow root its target is the element around it. */
const isTyping = (event: KeyboardEvent): boolean =>
  event
    .composedPath()
    .some(
      (one) =>
        one instanceof Element &&
        one.matches('input, textarea, select, [contenteditable], dialog, [role="menu"]'),
    )

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
        {others.map(([key, words]) => (
          <div key={key}>
            <dt>
              {key.split(' ').map((one) => (
                <kbd key={one}>{one}</kbd>
              ))}
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
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
      if (isTyping(event)) return
      event.preventDefault()
      act()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [key, act])
}
