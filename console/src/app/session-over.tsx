import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useLayoutEffect, useRef, useSyncExternalStore } from 'react'
import { call } from '../api/call.ts'
import { meQuery } from '../api/queries.ts'
import { onSession, sessionIsBack, sessionState } from '../api/session-over.ts'
import { SignIn } from '../sign-in/sign-in.tsx'
import { DoorPlace } from '../sign-in/door-frame.tsx'
import { useMe } from './session.ts'

/**
 * A session that ended while somebody works: they sign in where they are, and what they had typed is
 * still there. Until then the page is covered, for whoever walks by.
 */
export function SessionOver() {
  const { over } = useSyncExternalStore(onSession, sessionState)
  return over ? <Cover /> : null
}

function Cover() {
  const cover = useRef<HTMLDialogElement>(null)
  const { user, organization, label } = useMe()
  const queryClient = useQueryClient()
  const enter = async () => {
    const me = await call('getMe', {})
    // Somebody else has come: nothing of who was here before is theirs to see.
    if (me.user.id !== user.id || me.organization.id !== organization.id) location.assign('/')
    queryClient.setQueryData(meQuery.queryKey, me)
    sessionIsBack()
    await queryClient.invalidateQueries()
  }
  useLayoutEffect(() => {
    const shown = cover.current
    shown?.showModal()
    shown?.querySelector<HTMLElement>('[type="password"]')?.focus()
    return () => shown?.close()
  }, [])
  // They may have signed in in another tab, by single sign-on for example.
  useEffect(() => {
    const look = () => {
      if (!document.hidden) enter().catch(() => undefined)
    }
    addEventListener('focus', look)
    document.addEventListener('visibilitychange', look)
    return () => {
      removeEventListener('focus', look)
      document.removeEventListener('visibilitychange', look)
    }
  })
  return (
    <dialog
      ref={cover}
      className="cover"
      aria-label="Your session is over"
      onCancel={(event) => event.preventDefault()}
      // A browser closes a dialog by a second Escape, whatever the page says to the first.
      onClose={({ currentTarget }) => currentTarget.isConnected && currentTarget.showModal()}
    >
      <DoorPlace value="dialog">
        <SignIn
          email={label}
          notice={
            <p className="note quiet" role="status">
              Your session is over. Sign in to go on where you were: nothing is lost.
            </p>
          }
          onDone={enter}
          links={
            <>
              <a href="/login" target="_blank" rel="noreferrer">
                Single sign-on, in a new tab
              </a>
              <a href="/login">Somebody else</a>
            </>
          }
        />
      </DoorPlace>
    </dialog>
  )
}
