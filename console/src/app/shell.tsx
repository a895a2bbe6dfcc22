import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useRouterState } from '@tanstack/react-router'
import { useCallback, useEffect, useState, useSyncExternalStore } from 'react'
import { isUp, onConnection } from '../api/connection.ts'
import { runQuery } from '../api/queries.ts'
import { Icon } from '../parts/icon.tsx'
import { useCurrentInView } from '../parts/use-current-in-view.ts'
import { loadMenu } from './load-menu.ts'
import { loadPalette } from './load-palette.ts'
import { SessionOver } from './session-over.tsx'
import { useMe } from './session.ts'
import { ShortcutHelp, useShortcuts } from './shortcuts.tsx'

/** The frame of every page: navigation, account menu, and the banner for a lost connection. */
export function Shell() {
  const [helpOpen, setHelpOpen] = useState(false)
  const palette = usePalette()
  useShortcuts({ onHelp: () => setHelpOpen(true), onPalette: palette.open })
  useFocusOnNavigation()
  return (
    <>
      <a className="skip" href="#content">
        Skip to content
      </a>
      <div className="shell">
        <header className="side">
          <Link to="/" className="brand">
            <img src="/favicon.svg" alt="" width="20" height="20" />
            cloud-control
          </Link>
          <button
            type="button"
            className="palette-open"
            aria-haspopup="dialog"
            aria-keyshortcuts="Control+K Meta+K"
            onPointerEnter={() => void loadPalette().catch(() => undefined)}
            onClick={palette.open}
          >
            Search
            <kbd aria-hidden="true">Ctrl K</kbd>
          </button>
          <MainNav />
          <Account onHelp={() => setHelpOpen(true)} />
        </header>
        <main id="content" className="content" tabIndex={-1}>
          <ConnectionBanner />
          <Outlet />
        </main>
      </div>
      <SessionOver />
      {palette.Shown && <palette.Shown onHelp={() => setHelpOpen(true)} onClose={palette.close} />}
      {helpOpen && <ShortcutHelp onClose={() => setHelpOpen(false)} />}
    </>
  )
}

/**
 * A run belongs to its workspace in the breadcrumbs, so "Workspaces" is highlighted under /pipelines/…/runs/ too.
 * One of an application belongs to its pipeline.
 */
function useIsOnRun(): boolean {
  const place = useRouterState({
    select: ({ location: { pathname } }) =>
      /^\/pipelines\/(\d+\/runs\/\d+)/.exec(pathname)?.[1] ?? '',
  })
  const [id = 0, runId = 0] = place.split('/runs/').map(Number)
  const { data: kind } = useQuery({
    ...runQuery({ kind: 'pipeline', id, runId }),
    select: ({ run }) => run.kind,
    // The page of the run reads it.
    enabled: false,
  })
  return place !== '' && kind !== 'application'
}

function MainNav() {
  const onRun = useIsOnRun()
  // Rendered again on each page, whose link may be outside of the row on a narrow screen.
  useRouterState({ select: ({ location: { pathname } }) => pathname })
  const row = useCurrentInView()
  return (
    <nav aria-label="Main" className="nav" ref={row}>
      <Link to="/" activeOptions={{ exact: true }}>
        <Icon name="home" />
        Home
      </Link>
      <Link to="/workspaces" {...(onRun && { className: 'active' })}>
        <Icon name="workspaces" />
        Workspaces
      </Link>
      <Link to="/runs" activeOptions={{ includeSearch: false }}>
        <Icon name="runs" />
        Runs
      </Link>
      <Link to="/pipelines" activeOptions={{ exact: onRun }}>
        <Icon name="pipelines" />
        Pipelines
      </Link>
      <Link to="/clouds">
        <Icon name="clouds" />
        Clouds
      </Link>
      <Link to="/cost" activeOptions={{ includeSearch: false }}>
        <Icon name="cost" />
        Cost
      </Link>
      <Link to="/organization">
        <Icon name="organization" />
        Organization
      </Link>
    </nav>
  )
}

/** Loaded when it is first opened. If that fails, the next time loads it again. */
function usePalette() {
  const [Shown, setShown] = useState<Awaited<ReturnType<typeof loadPalette>>['Palette']>()
  const open = useCallback(() => {
    // In a function: `useState` would call a component.
    void loadPalette().then(
      ({ Palette }) => setShown(() => Palette),
      () => undefined,
    )
  }, [])
  return { Shown, open, close: () => setShown(undefined) }
}

/** Focuses the heading after a navigation, so that a screen reader announces the new page. Not on the first page. */
function useFocusOnNavigation(): void {
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname })
  const [first] = useState(path)
  useEffect(() => {
    if (path !== first)
      document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
  }, [path, first])
}

function ConnectionBanner() {
  const up = useSyncExternalStore(onConnection, isUp)
  return (
    <div role="status" aria-live="polite">
      {!up && (
        <p className="banner">
          The service does not answer. What you see may be out of date. The page updates when the
          service answers again.
        </p>
      )}
    </div>
  )
}

/** A plain button until the menu is first hovered, focused or opened, which loads its script. */
function Account({ onHelp }: { onHelp: () => void }) {
  const { user, organization } = useMe()
  const [menu, setMenu] = useState<Awaited<ReturnType<typeof loadMenu>>>()
  const face = (
    <>
      <span className="visually-hidden">Account: </span>
      <span className="avatar" aria-hidden="true">
        {user.name.slice(0, 1)}
      </span>
      <span className="account-name">{user.name}</span>
      <span className="account-org">{organization.name}</span>
    </>
  )
  if (menu) return <menu.AccountMenu onHelp={onHelp}>{face}</menu.AccountMenu>
  // If the script fails to load, the next click loads it again.
  const open = () => void loadMenu().then(setMenu, () => undefined)
  const warm = () => void loadMenu().catch(() => undefined)
  return (
    <button
      type="button"
      className="account"
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={warm}
      onFocus={warm}
      onClick={open}
      onKeyDown={({ key }) => (key === 'ArrowDown' || key === 'ArrowUp') && open()}
    >
      {face}
    </button>
  )
}
