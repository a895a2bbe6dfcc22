import { Link } from '@tanstack/react-router'
import { Tabs } from '../parts/tabs.tsx'

export function CostTabs() {
  return (
    <Tabs label="Parts of cost">
      <Link
        to="/cost"
        className="tab"
        activeOptions={{ exact: true, includeSearch: false }}
        activeProps={{ className: 'current' }}
      >
        Spend
      </Link>
      <Link
        to="/cost/anomalies"
        className="tab"
        activeOptions={{ includeSearch: false }}
        activeProps={{ className: 'current' }}
      >
        Anomalies
      </Link>
      <Link to="/cost/budgets" className="tab" activeProps={{ className: 'current' }}>
        Budgets
      </Link>
      <Link
        to="/cost/units"
        className="tab"
        activeOptions={{ includeSearch: false }}
        activeProps={{ className: 'current' }}
      >
        Units
      </Link>
      <Link
        to="/cost/unmanaged"
        className="tab"
        activeOptions={{ includeSearch: false }}
        activeProps={{ className: 'current' }}
      >
        Unmanaged
      </Link>
      <Link
        to="/cost/commitments"
        className="tab"
        activeOptions={{ includeSearch: false }}
        activeProps={{ className: 'current' }}
      >
        Commitments
      </Link>
      <Link to="/cost/bills" className="tab" activeProps={{ className: 'current' }}>
        Bills
      </Link>
      <Link to="/cost/prices" className="tab" activeProps={{ className: 'current' }}>
        Prices
      </Link>
    </Tabs>
  )
}
