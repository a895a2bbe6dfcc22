import { useLayoutEffect, useRef, useState, type ReactNode, type RefObject } from 'react'
import { useSettled } from '../parts/filter-box.tsx'
import { useOptions } from '../parts/use-options.ts'
import { useActions, usePages, type Command } from './commands.ts'
import { useFound } from './found-commands.ts'

type Props = { onHelp: () => void; onClose: () => void }

const id = 'palette'

/** Goes to a page, a workspace, a run or a person, or does something, by its name. */
export function Palette({ onHelp, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [typed, setTyped] = useState('')
  const text = typed.trim()
  const q = useSettled(typed).slice(0, 200)
  const found = useFound(text === '' ? '' : q)
  const actions: [string, Command[]] = ['Actions', [...found.starts, ...useActions(text, onHelp)]]
  const things: Array<[string, Command[]]> = [
    ['Pages', usePages(text)],
    ['Workspaces', found.workspaces],
    ['Runs', found.runs],
    ['People', found.people],
  ]
  // Who begins with the verb wants no page of the workspace.
  const groups = /^start\b/i.test(text) ? [actions, ...things] : [...things, actions]
  const options = groups.flatMap(([, commands]) => commands)
  const { at, setActive, onKeyDown, activeId } = useOptions({
    id,
    count: options.length,
    onPick: (n) => pick(options[n]),
  })
  const pick = (command: Command | undefined) => {
    if (!command) return
    // First, so that a dialog or a page which the command opens gets the focus afterwards.
    dialog.current?.close()
    onClose()
    command.act()
  }
  return (
    <Frame dialog={dialog} onClose={onClose}>
      <input
        role="combobox"
        type="text"
        aria-label="Search pages, workspaces, runs, people and actions"
        aria-autocomplete="list"
        aria-expanded={options.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={activeId}
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        placeholder="Search pages, workspaces, runs, people and actions"
        value={typed}
        onChange={({ target }) => {
          setActive(0)
          setTyped(target.value)
        }}
        onKeyDown={onKeyDown}
      />
      <div id={`${id}-list`} role="listbox" aria-label="Found" className="palette-list">
        <Groups groups={groups} at={at} onPoint={setActive} onPick={pick} />
      </div>
      <p className="palette-foot dim" role="status">
        {saying(options.length, found)}
      </p>
    </Frame>
  )
}

type FrameProps = {
  dialog: RefObject<HTMLDialogElement | null>
  onClose: () => void
  children: ReactNode
}

function Frame({ dialog, onClose, children }: FrameProps) {
  useLayoutEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    return () => shown?.close()
  }, [dialog])
  return (
    <dialog
      ref={dialog}
      className="palette"
      aria-label="Go to or do"
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      // The backdrop is the dialog's own.
      onClick={({ target }) => target === dialog.current && onClose()}
    >
      {children}
    </dialog>
  )
}

function saying(count: number, { isBusy, error }: { isBusy: boolean; error: Error | null }) {
  if (error) return 'The search failed: workspaces, runs or people may be missing here.'
  if (count > 0) return `${count} found`
  return isBusy ? 'Searching…' : 'Nothing found.'
}

type GroupsProps = {
  groups: ReadonlyArray<readonly [string, readonly Command[]]>
  at: number
  onPoint: (at: number) => void
  onPick: (command: Command) => void
}

function Groups({ groups, at, onPoint, onPick }: GroupsProps) {
  const shown = groups.filter(([, commands]) => commands.length > 0)
  return shown.map(([name, commands], place) => {
    const first = shown.slice(0, place).reduce((sum, [, before]) => sum + before.length, 0)
    return (
      <div key={name} role="group" aria-labelledby={`${id}-group-${name}`}>
        <div className="palette-group" id={`${id}-group-${name}`} role="presentation">
          {name}
        </div>
        {commands.map((command, n) => (
          // The keys are those of the field.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
          <div
            key={command.key}
            id={`${id}-${first + n}`}
            role="option"
            tabIndex={-1}
            aria-selected={first + n === at}
            className="palette-option"
            onMouseDown={(event) => event.preventDefault()}
            onMouseMove={() => onPoint(first + n)}
            onClick={() => onPick(command)}
          >
            <span className="palette-name">{command.name}</span>
            {command.hint && <span className="dim palette-hint">{command.hint}</span>}
            {command.keys && <kbd>{command.keys}</kbd>}
          </div>
        ))}
      </div>
    )
  })
}
