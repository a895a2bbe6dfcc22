import { Menu } from '@base-ui/react/menu'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { call } from '../api/call.ts'
import { isUp, onConnection } from '../api/connection.ts'
import { NavIcon } from './nav-icon.tsx'
import { useMe } from './session.ts'
import { ShortcutHelp, useShortcuts } from './shortcuts.tsx'
import { chooseTheme, currentTheme, type Theme } from './theme.ts'

/** What is around every page: where to go, who is here, and whether the service answers. */
export function Shell() {
  const [helpOpen, setHelpOpen] = useState(false)
  useShortcuts(() => setHelpOpen(true))
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
          <nav aria-label="Main" className="nav">
            <Link to="/" activeOptions={{ exact: true }}>
              <NavIcon name="home" />
              Home
            </Link>
            <Link to="/workspaces">
              <NavIcon name="workspaces" />
              Workspaces
            </Link>
            <Link to="/pipelines">
              <NavIcon name="pipelines" />
              Pipelines
            </Link>
            <Link to="/organization">
              <NavIcon name="organization" />
              Organization
            </Link>
          </nav>
          <AccountMenu onHelp={() => setHelpOpen(true)} />
        </header>
        <main id="content" className="content" tabIndex={-1}>
          <ConnectionBanner />
          <Outlet />
        </main>
      </div>
      <ShortcutHelp open={helpOpen} onOpenChange={setHelpOpen} />
    </>
  )
}

/** A reader of the screen learns of a new page by its heading; the first page leaves focus alone. */
function useFocusOnNavigation(): void {
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname })
  const [first] = useState(path)
  useEffect(() => {
    const heading = document.querySelector<HTMLElement>('main h1')
    if (heading) document.title = `${heading.textContent} · cloud-control`
    if (path !== first) heading?.focus({ preventScroll: true })
  }, [path, first])
}

function ConnectionBanner() {
  const up = useSyncExternalStore(onConnection, isUp)
  return (
    <div role="status" aria-live="polite">
      {!up && (
        <p className="banner">
          The service does not answer. What you see may be old; it goes on by itself once it is
          back.
        </p>
      )}
    </div>
  )
}

const themes: ReadonlyArray<[Theme, string]> = [
  ['system', 'As the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
]

function AccountMenu({ onHelp }: { onHelp: () => void }) {
  const { user, organization } = useMe()
  const [theme, setTheme] = useState(currentTheme)
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const logOut = useMutation({
    mutationFn: () => call('logOut', {}),
    onSuccess: async ({ redirectUrl }) => {
      queryClient.clear()
      if (redirectUrl) location.assign(redirectUrl)
      else await navigate({ to: '/login', search: { signedout: 1 } })
    },
  })
  return (
    <Menu.Root>
      <Menu.Trigger className="account">
        <span className="visually-hidden">Account: </span>
        <span className="avatar" aria-hidden="true">
          {user.name.slice(0, 1)}
        </span>
        <span className="account-name">{user.name}</span>
        <span className="account-org">{organization.name}</span>
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className="menu-place" sideOffset={6} align="start">
          <Menu.Popup className="menu">
            <div className="menu-who">
              {user.email ?? user.name}
              <span>{user.role}</span>
            </div>
            <Menu.RadioGroup
              value={theme}
              onValueChange={(value: Theme) => {
                chooseTheme(value)
                setTheme(value)
              }}
            >
              {themes.map(([value, label]) => (
                <Menu.RadioItem
                  key={value}
                  value={value}
                  className="menu-item"
                  closeOnClick={false}
                >
                  <span className="menu-mark">
                    <Menu.RadioItemIndicator>✓</Menu.RadioItemIndicator>
                  </span>
                  {label}
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
            <Menu.Separator className="menu-line" />
            <Menu.Item className="menu-item" onClick={() => void navigate({ to: '/account' })}>
              <span className="menu-mark" />
              Your account
            </Menu.Item>
            <Menu.Item className="menu-item" onClick={onHelp}>
              <span className="menu-mark" />
              Keyboard shortcuts
            </Menu.Item>
            <Menu.Item className="menu-item" onClick={() => logOut.mutate()}>
              <span className="menu-mark" />
              Sign out
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}
