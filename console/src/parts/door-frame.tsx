import { useEffect, type ReactNode } from 'react'

/** The frame of the pages in front of the door: sign-in and invitation. */
export function DoorFrame({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · cloud-control`
  }, [title])
  return (
    <main className="door">
      <div className="door-card">
        <p className="brand">
          <img src="/favicon.svg" alt="" width="20" height="20" />
          cloud-control
        </p>
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  )
}
