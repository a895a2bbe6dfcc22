import { CSPProvider } from '@base-ui/react/csp-provider'
import { Menu } from '@base-ui/react/menu'
import { useNavigate } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import { useMe } from './session.ts'
import { chooseTheme, currentTheme, type Theme } from './theme.ts'
import { useLogOut } from './use-log-out.ts'

/** Of package.json, put in by the build (vite.config.ts). */
declare const consoleVersion: string

const themes: ReadonlyArray<[Theme, string]> = [
  ['system', 'As the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
]

type Props = { onHelp: () => void; children: ReactNode }

/** Initially open, because the click on its button loads it. */
export function AccountMenu({ onHelp, children }: Props) {
  const { user } = useMe()
  const [theme, setTheme] = useState(currentTheme)
  const navigate = useNavigate()
  const logOut = useLogOut()
  return (
    <CSPProvider disableStyleElements>
      <Menu.Root defaultOpen>
        <Menu.Trigger className="account">{children}</Menu.Trigger>
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
              <Entry onClick={() => void navigate({ to: '/account' })}>Your account</Entry>
              <Entry onClick={() => void navigate({ to: '/help' })}>Help</Entry>
              <Entry onClick={() => void navigate({ to: '/help', hash: 'help-news' })}>
                What is new
              </Entry>
              <Entry onClick={onHelp}>Keyboard shortcuts</Entry>
              <Entry onClick={() => location.assign('/docs')}>API reference</Entry>
              <Entry onClick={() => logOut.mutate()}>Sign out</Entry>
              <div className="menu-version">Version {consoleVersion}</div>
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
    </CSPProvider>
  )
}

function Entry({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <Menu.Item className="menu-item" onClick={onClick}>
      <span className="menu-mark" />
      {children}
    </Menu.Item>
  )
}
