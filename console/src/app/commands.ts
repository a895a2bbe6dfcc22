import { useNavigate } from '@tanstack/react-router'
import { isLabel } from '../parts/labels.ts'
import { useMe } from './session.ts'
import { chooseTheme } from './theme.ts'
import { useLogOut } from './use-log-out.ts'

/** What the palette offers. `hint` says more about it, `keys` opens it without the palette. */
export type Command = { key: string; name: string; hint?: string; keys?: string; act: () => void }

const places = [
  ['/', 'Home', 'g h'],
  ['/workspaces', 'Workspaces', 'g w'],
  ['/runs', 'Runs', 'g r'],
  ['/pipelines', 'Pipelines', 'g p'],
  ['/clouds', 'Clouds', 'g c'],
  ['/clouds/resources', 'Cloud resources', ''],
  ['/cost', 'Cost', 'g m'],
  ['/cost/anomalies', 'Cost anomalies', ''],
  ['/cost/budgets', 'Budgets', ''],
  ['/cost/prices', 'Prices', ''],
  ['/cost/bills', 'Bills', ''],
  ['/cost/units', 'Cost per unit', ''],
  ['/cost/commitments', 'Commitments', ''],
  ['/cost/unmanaged', 'Cost outside of workspaces', ''],
  ['/organization', 'People', 'g o'],
  ['/organization/roles', 'Roles', ''],
  ['/organization/tokens', 'Tokens of the organization', ''],
  ['/organization/sso', 'Single sign-on', ''],
  ['/organization/provisioning', 'Provisioning', ''],
  ['/organization/git', 'Git connections', ''],
  ['/organization/policies', 'Policies', ''],
  ['/organization/signing-keys', 'Signing keys', ''],
  ['/organization/notifications', 'Notifications', ''],
  ['/organization/audit', 'Audit log', ''],
  ['/organization/settings', 'Settings of the organization', ''],
  ['/account', 'Your account', ''],
  ['/help', 'Help and what is new', ''],
] as const

/** The pages, by what is typed. */
export function usePages(typed: string): Command[] {
  const navigate = useNavigate()
  if (isLabel(typed))
    return (
      [
        ['/workspaces', 'Workspaces'],
        ['/pipelines', 'Pipelines'],
        ['/runs', 'Runs'],
      ] as const
    ).map(([to, name]) => ({
      key: `label-${to}`,
      name: `${name} with the label ${typed}`,
      act: () => void navigate({ to, search: { label: [typed] } }),
    }))
  return matching(
    typed,
    places.map(([to, name, keys]) => ({
      key: to,
      name,
      keys,
      act: () => void navigate({ to }),
    })),
  )
}

/** What one can do from every page, by what is typed. */
export function useActions(typed: string, onHelp: () => void): Command[] {
  const navigate = useNavigate()
  const { may } = useMe()
  const logOut = useLogOut()
  const theme = (name: 'light' | 'dark' | 'system', words: string): Command => ({
    key: `theme-${name}`,
    name: `Theme: ${words}`,
    act: () => chooseTheme(name),
  })
  return matching(typed, [
    ...(may('mutate_infra')
      ? [
          {
            key: 'new-workspace',
            name: 'New workspace',
            act: () => void navigate({ to: '/workspaces', search: { create: true } }),
          },
          {
            key: 'new-pipeline',
            name: 'New pipeline',
            act: () => void navigate({ to: '/pipelines', search: { create: true } }),
          },
        ]
      : []),
    ...(may('manage_cloud_accounts')
      ? [
          {
            key: 'connect-cloud',
            name: 'Connect a cloud account',
            act: () => void navigate({ to: '/clouds/connect' }),
          },
        ]
      : []),
    ...(may('manage_users_sso')
      ? [
          {
            key: 'invite',
            name: 'Invite a person',
            act: () => void navigate({ to: '/organization', search: { invite: true } }),
          },
          {
            key: 'new-policy',
            name: 'New policy',
            act: () => void navigate({ to: '/organization/policies/new' }),
          },
        ]
      : []),
    {
      key: 'waiting',
      name: 'Runs that wait for you',
      act: () => void navigate({ to: '/runs', search: { state: 'mine' } }),
    },
    theme('light', 'light'),
    theme('dark', 'dark'),
    theme('system', 'as the system'),
    { key: 'keys', name: 'Keyboard shortcuts', keys: '?', act: onHelp },
    { key: 'reference', name: 'API reference', act: () => location.assign('/docs') },
    { key: 'sign-out', name: 'Sign out', act: () => logOut.mutate() },
  ])
}

/** Those with each typed word in their names. */
function matching(typed: string, commands: readonly Command[]): Command[] {
  const words = typed.toLowerCase().split(/\s+/)
  return commands.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)))
}
