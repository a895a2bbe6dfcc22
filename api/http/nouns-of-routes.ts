/** What the reference groups operations by, in its order: those that a newcomer needs first. */
export const nouns = [
  ['Workspaces', 'Infrastructure: files, variables, state and locks.'],
  ['Runs', 'Plans and applies, their logs and their approvals.'],
  ['Pipelines', 'What runs are started by.'],
  ['Agents', 'Deploy agents, and the protocol that they speak.'],
  ['Policies', 'Rules that judge each plan.'],
  ['Git', 'Connections to Git hosts, and what is written there.'],
  ['Cloud accounts', 'Accounts of AWS, Azure and Google Cloud, and their resources.'],
  ['Cost', 'Bills, budgets, anomalies, prices and units.'],
  ['Notifications', 'Channels that are told of events.'],
  ['Sign-in', 'Sessions, passwords, second factors and invitations.'],
  ['People', 'The members of the organization and their roles.'],
  ['Organization', 'Settings, ownership and the data of the first page.'],
  ['Tokens', 'API tokens, of a person or of the whole organization.'],
  ['Single sign-on', 'SAML 2.0, and the roles of groups.'],
  ['Provisioning', 'SCIM 2.0, its tokens and its log.'],
  ['Audit', 'What happened, and the proof that nothing was changed afterwards.'],
  ['Platform', 'Health, and the administration of organizations.'],
] as const

type Noun = (typeof nouns)[number][0]

/** The first pattern that fits an address names its noun. */
const patterns: ReadonlyArray<readonly [RegExp, Noun]> = [
  [/^\/api\/(workspaces|pipelines)\/[^/]+\/runs?(\/|$)|^\/api\/(runs|releases)/, 'Runs'],
  [/^\/api\/workspaces\/[^/]+\/(plan|apply)$/, 'Runs'],
  [/^\/api\/workspaces\/[^/]+\/hydrations/, 'Git'],
  [/^\/api\/(workspaces|workspace-views|labels)/, 'Workspaces'],
  [/^\/api\/(pipelines|manifest|schemas)/, 'Pipelines'],
  [/^\/api\/(agents?|downloads)(\/|$)/, 'Agents'],
  [/^\/api\/policies/, 'Policies'],
  [/^\/api\/git/, 'Git'],
  [/^\/api\/cloud|^\/oidc/, 'Cloud accounts'],
  [/^\/api\/finops/, 'Cost'],
  [/^\/api\/notifications/, 'Notifications'],
  [/^\/api\/(auth|org)\/tokens/, 'Tokens'],
  [/^\/api\/auth\/saml|^\/api\/org\/(saml|sso|group-mappings)|^\/saml/, 'Single sign-on'],
  [/^\/api\/auth/, 'Sign-in'],
  [/^\/api\/scim|^\/api\/org\/scim/, 'Provisioning'],
  [/^\/api\/org\/users/, 'People'],
  [/^\/api\/(org|console)/, 'Organization'],
  [/^\/api\/audit/, 'Audit'],
]

export const nounOf = (url: string): Noun =>
  patterns.find(([pattern]) => pattern.test(url))?.[1] ?? 'Platform'
