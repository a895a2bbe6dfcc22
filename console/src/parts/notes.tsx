import { useSyncExternalStore, type ReactNode } from 'react'
import { ApiError, mayPass, Unreachable } from '../api/call.ts'
import { isUp, onConnection } from '../api/connection.ts'

const answersAgain = 'The service did not answer then. It answers again: try once more.'

/** An error message of the API with the fields that it names. `goesOn`: the request is repeated automatically. */
export function ErrorNote({ error, goesOn = false }: { error: Error | null; goesOn?: boolean }) {
  const up = useSyncExternalStore(onConnection, isUp)
  if (!error) return null
  const details = error instanceof ApiError ? error.details : []
  return (
    <div className="note bad" role="alert">
      <p>
        {error instanceof Unreachable && up && !goesOn ? answersAgain : error.message}
        {goesOn && mayPass(error) && ' The console tries again every few seconds.'}
      </p>
      {details.length > 1 && (
        <ul>
          {details.map(({ path, message }) => (
            <li key={path + message}>
              <code>{path}</code> {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

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
