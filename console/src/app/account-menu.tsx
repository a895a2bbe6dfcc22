import { CSPProvider } from '@base-ui/react/csp-provider'
import { Menu } from '@base-ui/react/menu'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import { call } from '../api/call.ts'
import { useMe } from './session.ts'
import { chooseTheme, currentTheme, type Theme } from './theme.ts'

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
    </CSPProvider>
  )
}
