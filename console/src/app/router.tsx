import type { QueryClient } from '@tanstack/react-query'
import { createRouter } from '@tanstack/react-router'
import { accountRoutes } from '../account/routes.tsx'
import { auditRoutes } from '../audit/routes.tsx'
import { cloudRoutes } from '../clouds/routes.tsx'
import { costRoutes } from '../cost/routes.tsx'
import { gitRoutes } from '../git/routes.tsx'
import { helpRoutes } from '../help/routes.tsx'
import { homeRoutes } from '../home/routes.tsx'
import { notificationRoutes } from '../notifications/routes.tsx'
import { organizationRoutes } from '../organizations/routes.tsx'
import { Loading } from '../parts/notes.tsx'
import { pipelineRoutes } from '../pipelines/routes.tsx'
import { policyRoutes } from '../policies/routes.tsx'
import { allRunsRoutes } from '../runs/all-runs-route.ts'
import { runRoutes } from '../runs/routes.tsx'
import { samlRoutes } from '../saml/routes.tsx'
import { scimRoutes } from '../scim/routes.tsx'
import { signingRoutes } from '../signing/routes.tsx'
import { signInRoutes } from '../sign-in/routes.tsx'
import { tokenRoutes } from '../tokens/routes.tsx'
import { userRoutes } from '../users/routes.tsx'
import { workspaceRoutes } from '../workspaces/routes.tsx'
import { Crash, NotFound } from './crash.tsx'
import { anyOther, app, organization, root } from './parent-routes.tsx'

// One line a noun. The entry pages (sign-in, home, a run) are in the first script; the other pages are loaded
// when they are opened.
const tree = root.addChildren([
  ...signInRoutes,
  app.addChildren([
    ...homeRoutes,
    ...helpRoutes,
    ...workspaceRoutes,
    ...runRoutes,
    ...allRunsRoutes,
    ...pipelineRoutes,
    ...cloudRoutes,
    ...costRoutes,
    ...accountRoutes,
    anyOther,
    organization.addChildren([
      ...userRoutes,
      ...tokenRoutes,
      ...samlRoutes,
      ...scimRoutes,
      ...gitRoutes,
      ...policyRoutes,
      ...signingRoutes,
      ...notificationRoutes,
      ...auditRoutes,
      ...organizationRoutes,
    ]),
  ]),
])

export function createConsoleRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree: tree,
    context: { queryClient },
    defaultPreload: 'intent',
    defaultPendingComponent: () => <Loading what="the page" />,
    defaultErrorComponent: Crash,
    defaultNotFoundComponent: NotFound,
    scrollRestoration: true,
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>
  }
}
