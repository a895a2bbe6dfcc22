import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { ApiError } from '../api/call.ts'
import { homeQuery, meQuery, runQuery } from '../api/queries.ts'
import { HomePage } from '../home/home.tsx'
import { LoginPage } from '../sign-in/login.tsx'
import { PipelineRunPage, WorkspaceRunPage } from '../runs/run.tsx'
import { Loading } from '../parts/notes.tsx'
import { Crash, NotFound } from './crash.tsx'
import {
  auditFields,
  runTabs,
  workspaceTabs,
  type AuditFilter,
  type RunSearch,
  type SignedOut,
  type WorkspaceSearch,
} from './searches.ts'
import { Shell } from './shell.tsx'

type Context = { queryClient: QueryClient }
type Values = Record<string, unknown>
const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
const id = (value: string) => {
  const number = Number(value)
  // A malformed id becomes 0, which no row has, so the API answers 404.
  return Number.isSafeInteger(number) && number > 0 ? number : 0
}

const count = (value: unknown) => {
  const number = Number(value)
  return Number.isSafeInteger(number) && number > 0 ? number : undefined
}

type LoginSearch = {
  next?: string
  signedout?: SignedOut
  sso?: 'failed'
  reset?: boolean
}
const signedOut = (value: unknown): SignedOut | undefined => {
  if (value === 'partial' || value === 'failed') return value
  return value === undefined || value === false ? undefined : 1
}

const root = createRootRouteWithContext<Context>()({
  component: Outlet,
  notFoundComponent: NotFound,
})

// The entry pages are in the first script. The other pages are loaded when they are opened.
const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: (search: Values): LoginSearch => {
    const next = text(search['next'])
    const signedout = signedOut(search['signedout'])
    return {
      ...(next?.startsWith('/') === true && { next }),
      ...(signedout && { signedout }),
      ...(Boolean(search['reset']) && { reset: true }),
      ...(search['sso'] === 'failed' && { sso: 'failed' }),
    }
  },
  component: LoginPage,
})

const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitations/accept',
  component: lazyRouteComponent(() => import('../sign-in/invitation.tsx'), 'InvitationPage'),
})

const forgotPassword = createRoute({
  getParentRoute: () => root,
  path: '/password/forgot',
  component: lazyRouteComponent(
    () => import('../sign-in/forgot-password.tsx'),
    'ForgotPasswordPage',
  ),
})

const resetPassword = createRoute({
  getParentRoute: () => root,
  path: '/password/reset',
  component: lazyRouteComponent(() => import('../sign-in/reset-password.tsx'), 'ResetPasswordPage'),
})

const app = createRoute({
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

const home = createRoute({
  getParentRoute: () => app,
  path: '/',
  // Not awaited: the page itself shows the loading state and the error.
  loader: ({ context }) => void context.queryClient.prefetchQuery(homeQuery),
  component: HomePage,
})

const workspaces = createRoute({
  getParentRoute: () => app,
  path: '/workspaces',
  validateSearch: (search: Values): { create?: boolean } =>
    search['create'] ? { create: true } : {},
  component: lazyRouteComponent(() => import('../workspaces/workspaces.tsx'), 'WorkspacesPage'),
})

const workspace = createRoute({
  getParentRoute: () => app,
  path: '/workspaces/$id',
  params: { parse: (raw) => ({ id: id(raw.id) }), stringify: ({ id }) => ({ id: String(id) }) },
  validateSearch: (search: Values): WorkspaceSearch => {
    const tab = workspaceTabs.find((one) => one === search['tab'])
    const version = count(search['version'])
    return { ...(tab && { tab }), ...(tab === 'files' && version && { version }) }
  },
  component: lazyRouteComponent(() => import('../workspaces/workspace.tsx'), 'WorkspacePage'),
})

const runSearch = (search: Values): RunSearch => {
  const tab = runTabs.find((one) => one === search['tab'])
  const line = count(search['line'])
  const stage = text(search['stage'])
  return {
    ...(tab && { tab }),
    ...(stage && { stage }),
    ...(line && { line }),
  }
}

const runParams = {
  parse: (raw: { id: string; runId: string }) => ({ id: id(raw.id), runId: id(raw.runId) }),
  stringify: (params: { id: number; runId: number }) => ({
    id: String(params.id),
    runId: String(params.runId),
  }),
}

const workspaceRun = createRoute({
  getParentRoute: () => app,
  path: '/workspaces/$id/runs/$runId',
  params: runParams,
  validateSearch: runSearch,
  loader: ({ context, params }) =>
    void context.queryClient.prefetchQuery(runQuery({ kind: 'workspace', ...params })),
  component: WorkspaceRunPage,
})

const pipelines = createRoute({
  getParentRoute: () => app,
  path: '/pipelines',
  component: lazyRouteComponent(() => import('../pipelines/pipelines.tsx'), 'PipelinesPage'),
})

const pipeline = createRoute({
  getParentRoute: () => app,
  path: '/pipelines/$id',
  params: { parse: (raw) => ({ id: id(raw.id) }), stringify: ({ id }) => ({ id: String(id) }) },
  component: lazyRouteComponent(() => import('../pipelines/pipeline.tsx'), 'PipelinePage'),
})

const pipelineRun = createRoute({
  getParentRoute: () => app,
  path: '/pipelines/$id/runs/$runId',
  params: runParams,
  validateSearch: runSearch,
  loader: ({ context, params }) =>
    void context.queryClient.prefetchQuery(runQuery({ kind: 'pipeline', ...params })),
  component: PipelineRunPage,
})

const account = createRoute({
  getParentRoute: () => app,
  path: '/account',
  component: lazyRouteComponent(() => import('../account/account.tsx'), 'AccountPage'),
})

const organization = createRoute({
  getParentRoute: () => app,
  path: '/organization',
  component: lazyRouteComponent(
    () => import('../organizations/organization.tsx'),
    'OrganizationPage',
  ),
})

const people = createRoute({
  getParentRoute: () => organization,
  path: '/',
  component: lazyRouteComponent(() => import('../users/people.tsx'), 'PeoplePage'),
})

const roles = createRoute({
  getParentRoute: () => organization,
  path: '/roles',
  component: lazyRouteComponent(() => import('../users/roles.tsx'), 'RolesPage'),
})

const tokens = createRoute({
  getParentRoute: () => organization,
  path: '/tokens',
  component: lazyRouteComponent(() => import('../tokens/tokens.tsx'), 'TokensPage'),
})

const policies = createRoute({
  getParentRoute: () => organization,
  path: '/policies',
  component: lazyRouteComponent(() => import('../policies/policies.tsx'), 'PoliciesPage'),
})

const sso = createRoute({
  getParentRoute: () => organization,
  path: '/sso',
  validateSearch: (search: Values): { tested?: true } => (search['tested'] ? { tested: true } : {}),
  component: lazyRouteComponent(() => import('../saml/sso.tsx'), 'SsoPage'),
})

const provisioning = createRoute({
  getParentRoute: () => organization,
  path: '/provisioning',
  validateSearch: (search: Values): { log?: 'failure' } =>
    search['log'] === 'failure' ? { log: 'failure' } : {},
  component: lazyRouteComponent(() => import('../scim/provisioning.tsx'), 'ProvisioningPage'),
})

const git = createRoute({
  getParentRoute: () => organization,
  path: '/git',
  component: lazyRouteComponent(() => import('../git/git-connections.tsx'), 'GitConnectionsPage'),
})

const audit = createRoute({
  getParentRoute: () => organization,
  path: '/audit',
  validateSearch: (search: Values) => {
    const filter: AuditFilter = {}
    for (const field of auditFields) {
      // The router parses `12` as a number, and a filter is a string.
      const value = search[field]
      if (typeof value === 'string' || typeof value === 'number') filter[field] = String(value)
    }
    return filter
  },
  component: lazyRouteComponent(() => import('../audit/audit.tsx'), 'AuditPage'),
})

const tree = root.addChildren([
  login,
  invitation,
  forgotPassword,
  resetPassword,
  app.addChildren([
    home,
    workspaces,
    workspace,
    workspaceRun,
    pipelines,
    pipeline,
    pipelineRun,
    account,
    organization.addChildren([people, roles, tokens, sso, provisioning, git, policies, audit]),
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
