import { Link, Outlet, useRouterState } from '@tanstack/react-router'
import type { Capability } from '../api/types.ts'
import { useMe } from '../app/session.ts'
import { PageHead } from '../parts/pages.tsx'
import { Tabs } from '../parts/tabs.tsx'

const parts: ReadonlyArray<{ to: string; name: string; needs?: Capability }> = [
  { to: '/organization', name: 'People' },
  { to: '/organization/roles', name: 'Roles' },
  { to: '/organization/tokens', name: 'Tokens' },
  { to: '/organization/sso', name: 'Single sign-on', needs: 'manage_users_sso' },
  { to: '/organization/provisioning', name: 'Provisioning', needs: 'manage_users_sso' },
  { to: '/organization/git', name: 'Git' },
  { to: '/organization/policies', name: 'Policies' },
  { to: '/organization/signing-keys', name: 'Signing keys' },
  { to: '/organization/notifications', name: 'Notifications' },
  { to: '/organization/audit', name: 'Audit log' },
  { to: '/organization/settings', name: 'Settings', needs: 'manage_users_sso' },
]

export function OrganizationPage() {
  const { organization, may } = useMe()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  // The last one: each path begins with that of the first.
  const part = parts.findLast(({ to }) => `${path}/`.startsWith(`${to}/`))
  return (
    <>
      <PageHead
        title={organization.name}
        tabTitle={part ? `${part.name} · ${organization.name}` : organization.name}
      />
      <Tabs label="Parts of the organization">
        {parts
          .filter(({ needs }) => needs === undefined || may(needs))
          .map(({ to, name }) => (
            <Link
              key={to}
              to={to}
              className="tab"
              activeOptions={{ exact: to === '/organization' }}
              activeProps={{ className: 'current' }}
            >
              {name}
            </Link>
          ))}
      </Tabs>
      <Outlet />
    </>
  )
}
