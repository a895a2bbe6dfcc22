import { useSyncExternalStore, type ReactNode } from 'react'
import { ApiError, mayPass, Unreachable } from '../api/call.ts'
import { isUp, onConnection } from '../api/connection.ts'
import { wordsOfError, type WordedError } from '../words/error-words.ts'
import { ErrorActionLink } from './error-action-link.tsx'

const answersAgain = 'The service did not answer then. It answers again: try once more.'

/** An error in the words of the console, with what solves it. `goesOn`: the request is repeated automatically. */
export function ErrorNote({ error, goesOn = false }: { error: Error | null; goesOn?: boolean }) {
  const up = useSyncExternalStore(onConnection, isUp)
  if (!error) return null
  const { text, items, action } = wordsOf(error)
  return (
    <div className="note bad" role="alert">
      <p>
        {error instanceof Unreachable && up && !goesOn ? answersAgain : text}
        {goesOn && mayPass(error) && ' The console tries again every few seconds.'}
      </p>
      {items.length > 0 && (
        <ul>
          {items.map(({ name, text: what }) => (
            <li key={name + what}>
              <strong>{name}</strong> {what}
            </li>
          ))}
        </ul>
      )}
      {action && <ErrorActionLink action={action} />}
    </div>
  )
}

const wordsOf = (error: Error): WordedError =>
  error instanceof ApiError
    ? wordsOfError(error)
    : { text: error.message, items: [], action: undefined }

/** Shown instead of an empty list, with the next step. */
export function Empty({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      <div>{children}</div>
    </div>
  )
}

export function Loading({ what }: { what: string }) {
  return (
    <p className="loading" role="status">
      Loading {what}…
    </p>
  )
}
