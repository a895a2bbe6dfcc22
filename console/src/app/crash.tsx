import { Link, useRouter, type ErrorComponentProps } from '@tanstack/react-router'
import { Button } from '../parts/forms.tsx'
import { ErrorNote } from '../parts/notes.tsx'

/** What a page shows that could not be shown. */
export function Crash({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const again = () => {
    reset()
    void router.invalidate()
  }
  return (
    <main className="alone">
      <h1>This page could not be shown</h1>
      <ErrorNote error={error instanceof Error ? error : new Error(String(error))} />
      <Button tone="primary" onClick={again}>
        Try again
      </Button>
    </main>
  )
}

export function NotFound() {
  return (
    <main className="alone">
      <h1>There is no such page</h1>
      <p>The address may be old, or belong to another organization.</p>
      <Link to="/" className="button primary">
        Go home
      </Link>
    </main>
  )
}
