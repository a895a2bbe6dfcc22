import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { organization } from '../app/parent-routes.tsx'
import type { Values } from '../app/route-values.ts'
import { auditFields, type AuditFilter } from '../app/searches.ts'

const audit = createRoute({
  getParentRoute: () => organization,
  path: '/audit',
  validateSearch: (search: Values) => {
    const filter: AuditFilter = {}
    for (const field of auditFields) {
      // The router parses `12` as a number, and a filter is a string.
      const value = search[field]
      if ((typeof value === 'string' && value !== '') || typeof value === 'number')
        filter[field] = String(value)
    }
    return filter
  },
  component: lazyRouteComponent(() => import('./audit.tsx'), 'AuditPage'),
})

export const auditRoutes = [audit] as const
