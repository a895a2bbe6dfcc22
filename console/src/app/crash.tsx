import { Link, useRouter, type ErrorComponentProps } from '@tanstack/react-router'
import { useCallback, useEffect } from 'react'
import { mayPass } from '../api/call.ts'
import { Button } from '../parts/forms.tsx'
import { ErrorNote } from '../parts/notes.tsx'
import { PageHead } from '../parts/pages.tsx'

/** Replaces a page that failed to load or to render. */
export function Crash({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const again = useCallback(() => {
    reset()
    void router.invalidate()
  }, [reset, router])
  const goesOn = mayPass(error)
  useEffect(() => {
    if (!goesOn) return
    const timer = setInterval(again, 5_000)
    return () => clearInterval(timer)
  }, [goesOn, again])
  return (
    <main className="alone">
      <h1>This page could not be shown</h1>
      <ErrorNote error={error instanceof Error ? error : new Error(String(error))} goesOn />
      <Button tone="primary" onClick={again}>
        Try again
      </Button>
    </main>
  )
}

/** An address that leads nowhere, with the frame around it for people who are signed in. */
export function NotFound() {
  return (
    <>
      <PageHead title="There is no such page" />
      <div className="stack">
        <p>The address may be old, belong to another organization, or need another account.</p>
        <p>
          <Link to="/" className="button primary">
            Go home
          </Link>
        </p>
      </div>
    </>
  )
}
