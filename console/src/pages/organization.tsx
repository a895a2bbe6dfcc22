import { Link, Outlet } from '@tanstack/react-router'
import { useMe } from '../app/session.ts'
import { PageHead } from '../parts/pages.tsx'

const parts = [
  ['/organization', 'People'],
  ['/organization/roles', 'Roles'],
  ['/organization/tokens', 'Tokens'],
  ['/organization/policies', 'Policies'],
  ['/organization/audit', 'Audit'],
] as const

export function OrganizationPage() {
  const { organization } = useMe()
  return (
    <>
      <PageHead title={organization.name} />
      <nav className="tabs" aria-label="Parts of the organization">
        {parts.map(([to, name]) => (
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
      </nav>
      <Outlet />
    </>
  )
}
