import { Link } from '@tanstack/react-router'
import { Tabs } from '../parts/tabs.tsx'

export function CloudTabs() {
  return (
    <Tabs label="Parts of the clouds">
      <Link
        to="/clouds"
        className="tab"
        activeOptions={{ exact: true }}
        activeProps={{ className: 'current' }}
      >
        Accounts
      </Link>
      <Link
        to="/clouds/resources"
        className="tab"
        activeOptions={{ includeSearch: false }}
        activeProps={{ className: 'current' }}
      >
        Resources
      </Link>
    </Tabs>
  )
}
