import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react'
import { call } from '../api/call.ts'
import { meQuery } from '../api/queries.ts'
import { onSession, sessionIsBack, sessionIsOfAnother, sessionState } from '../api/session-over.ts'
import { SignIn } from '../sign-in/sign-in.tsx'
import { DoorPlace } from '../sign-in/door-frame.tsx'
import { useMe } from './session.ts'

/**
 * Asks for a sign-in on top of the page when the session has ended. The page stays mounted, so unsaved
 * input is kept. The page is covered until then, so that a passer-by cannot read it.
 */
export function SessionOver() {
  const { over } = useSyncExternalStore(onSession, sessionState)
  return over ? <Cover /> : null
}

function Cover() {
  const cover = useRef<HTMLDialogElement>(null)
  const shownNow = useMe()
  // As the cover came up: a refetch of the page below may read the person who signs in next.
  const [{ user, organization, label }] = useState(shownNow)
  const queryClient = useQueryClient()
  const enter = async () => {
    const me = await call('getMe', {})
    if (me.user.id !== user.id || me.organization.id !== organization.id) {
      // Another person: the page stays covered until it is left, so that they see no data of the one before.
      sessionIsOfAnother()
      // All but `me`: the cover would have to wait for it, and would not be drawn meanwhile.
      queryClient.removeQueries({ predicate: ({ queryKey: [of] }) => of !== meQuery.queryKey[0] })
      location.assign('/')
      return
    }
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
  // The person may have signed in in another tab, for example by single sign-on.
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
      // Browsers close a dialog on a second Escape even if `onCancel` prevents the first, so it is reopened.
      onClose={({ currentTarget }) => currentTarget.isConnected && currentTarget.showModal()}
    >
      <DoorPlace value="dialog">
        <SignIn
          email={label}
          notice={
            <p className="note quiet" role="status">
              Your session is over. Sign in to continue. Your unsaved input is kept.
            </p>
          }
          onDone={enter}
          links={
            <>
              <a href="/login" target="_blank" rel="noreferrer">
                Single sign-on, in a new tab
              </a>
              <a href="/login">Another person</a>
            </>
          }
        />
      </DoorPlace>
    </dialog>
  )
}
