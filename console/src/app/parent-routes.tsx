import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { ApiError } from '../api/call.ts'
import { meQuery } from '../api/queries.ts'
import { NotFound } from './crash.tsx'
import { Shell } from './shell.tsx'

type Context = { queryClient: QueryClient }

// The routes that a noun's routes are below.

export const root = createRootRouteWithContext<Context>()({
  component: Outlet,
  notFoundComponent: NotFound,
})

/** The pages for people who are signed in, within the frame. */
export const app = createRoute({
  getParentRoute: () => root,
  id: 'app',
  component: Shell,
  beforeLoad: async ({ context, location }) => {
    try {
      await context.queryClient.ensureQueryData(meQuery)
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error
      const next = location.href === '/' ? undefined : location.href
      throw redirect({ to: '/login', search: { ...(next && { next }) } })
    }
  },
})

/** Every other address, within the frame. */
export const anyOther = createRoute({
  getParentRoute: () => app,
  path: '$',
  component: NotFound,
})

/** The pages of an organization, with its tabs. */
export const organization = createRoute({
  getParentRoute: () => app,
  path: '/organization',
  component: lazyRouteComponent(
    () => import('../organizations/organization.tsx'),
    'OrganizationPage',
  ),
})
