import { createContext, useContext, useEffect, type ReactNode } from 'react'

/** Whether the frame is a page, or a dialog on top of a page that stays mounted. */
const Place = createContext<'page' | 'dialog'>('page')
export const DoorPlace = Place.Provider

/** The frame of the pages that need no session: sign-in, invitation and password reset. */
export function DoorFrame({ title, children }: { title: string; children: ReactNode }) {
  const isPage = useContext(Place) === 'page'
  useEffect(() => {
    if (isPage) document.title = `${title} · cloud-control`
  }, [isPage, title])
  const card = (
    <div className="door-card">
      <p className="brand">
        <img src="/favicon.svg" alt="" width="20" height="20" />
        cloud-control
      </p>
      {isPage ? <h1>{title}</h1> : <h2 className="title">{title}</h2>}
      {children}
    </div>
  )
  return isPage ? <main className="door">{card}</main> : <div className="door">{card}</div>
}
