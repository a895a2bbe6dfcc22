import { runPhases } from './check-runs.ts'
import { rights } from './rights.ts'
import type { SetupFacts, SetupTexts } from './setup-texts.ts'
import { audienceOf } from './web-identity.ts'

/** What only Google knows before the pool exists. */
const number = 'PROJECT_NUMBER'
const pool = `projects/${number}/locations/global/workloadIdentityPools/cloud-control`

/** A workload identity pool whose one subject has a role of its own; or a service account with a key. */
export function setupOfGoogle(facts: SetupFacts): SetupTexts {
  const isFederated = facts.use !== 'keys'
  const policy = json({
    title: 'Cloud Control',
    description: 'Lists resources and reads bills.',
    stage: 'GA',
    includedPermissions: permissions,
  })
  return {
    audience: isFederated ? audienceOf('gcp', `${pool}/providers/cloud-control`) : null,
    policy,
    trustPolicy: isFederated ? json(trustOf(facts)) : null,
    commands: isFederated ? commandsForFederation(facts) : commandsForKeys(facts),
    opentofu: isFederated ? tofuForFederation(facts) : tofuForKeys(facts),
  }
}

const json = (value: unknown) => JSON.stringify(value, undefined, 2)
const permissions = rights.gcp.map(({ permission }) => permission)

const conditionOf = ({ subject }: SetupFacts) => `assertion.sub == "${subject}"`

const trustOf = (facts: SetupFacts) => ({
  oidc: { issuerUri: facts.issuer },
  attributeMapping: { 'google.subject': 'assertion.sub' },
  attributeCondition: conditionOf(facts),
})

/** A role and a binding belong to a project, a folder or an organization; only the last two of the words differ. */
function scopeOf(accountId: string) {
  const [kind = '', id = ''] = accountId.split('/')
  if (kind === 'organizations') return { noun: 'organizations', id, role: `--organization='${id}'` }
  // A folder has no roles of its own: they are its organization's.
  if (kind === 'folders')
    return { noun: 'resource-manager folders', id, role: '--organization="$ORGANIZATION"' }
  return { noun: 'projects', id: accountId, role: `--project='${accountId}'` }
}

/** The pool lives in a project, which for an organization or a folder has to be named. */
const projectOf = (accountId: string) => (accountId.includes('/') ? '"$PROJECT"' : `'${accountId}'`)

function roleName(accountId: string): string {
  if (accountId.startsWith('organizations/')) return `${accountId}/roles/cloudControl`
  if (accountId.startsWith('folders/')) return 'organizations/$ORGANIZATION/roles/cloudControl'
  return `projects/${accountId}/roles/cloudControl`
}

function commandsForRole(accountId: string, member: string): string {
  const { noun, id, role } = scopeOf(accountId)
  return `gcloud iam roles create cloudControl ${role} --title='Cloud Control' --permissions='${permissions.join(',')}'
gcloud ${noun} add-iam-policy-binding '${id}' --role="${roleName(accountId)}" --condition=None --member="${member}"
`
}

function commandsForFederation(facts: SetupFacts): string {
  const project = projectOf(facts.accountId)
  const member = `principal://iam.googleapis.com/${pool.replace(number, '$NUMBER')}/subject/${facts.subject}`
  return `NUMBER=$(gcloud projects describe ${project} --format='value(projectNumber)')
gcloud iam workload-identity-pools create cloud-control --project=${project} --location=global
gcloud iam workload-identity-pools providers create-oidc cloud-control --project=${project} --location=global --workload-identity-pool=cloud-control --issuer-uri='${facts.issuer}' --attribute-mapping='google.subject=assertion.sub' --attribute-condition='${conditionOf(facts)}'
${commandsForRole(facts.accountId, member)}${commandsForRuns(facts)}`
}

/** As comments: which service accounts runs use is known to the person who pastes. */
function commandsForRuns(facts: SetupFacts): string {
  const project = projectOf(facts.accountId)
  const [start = ''] = facts.runSubjects.plan.split('*')
  const condition = `${conditionOf(facts)} || assertion.sub.startsWith("${start}")`
  const mapping =
    'google.subject=assertion.sub,attribute.phase=assertion.sub.extract(":phase:{phase}")'
  const members = runPhases.map(
    (phase) =>
      `# For runs in their ${phase} (${facts.runSubjects[phase]}), a service account to which you give the rights:
# gcloud iam service-accounts add-iam-policy-binding "$SERVICE_ACCOUNT_OF_${phase.toUpperCase()}" --role=roles/iam.workloadIdentityUser --member="principalSet://iam.googleapis.com/${pool.replace(number, '$NUMBER')}/attribute.phase/${phase}"
`,
  )
  return `# gcloud iam workload-identity-pools providers update-oidc cloud-control --project=${project} --location=global --workload-identity-pool=cloud-control --attribute-mapping='${mapping}' --attribute-condition='${condition}'
${members.join('')}`
}

function commandsForKeys({ accountId }: SetupFacts): string {
  const project = projectOf(accountId)
  const account = accountId.includes('/') ? '$PROJECT' : accountId
  const email = `cloud-control@${account}.iam.gserviceaccount.com`
  return `gcloud iam service-accounts create cloud-control --project=${project}
${commandsForRole(accountId, `serviceAccount:${email}`)}gcloud iam service-accounts keys create cloud-control.json --iam-account="${email}"
`
}

function tofuForRole(accountId: string, member: string): string {
  const [kind = '', id = ''] = accountId.split('/')
  const list = JSON.stringify(permissions)
  if (kind === 'organizations' || kind === 'folders') {
    const organization = kind === 'organizations' ? `"${id}"` : 'var.organization'
    const variable = kind === 'folders' ? 'variable "organization" { type = string }\n\n' : ''
    const noun = kind === 'organizations' ? 'organization' : 'folder'
    return `${variable}resource "google_organization_iam_custom_role" "cloud_control" {
  org_id      = ${organization}
  role_id     = "cloudControl"
  title       = "Cloud Control"
  permissions = ${list}
}

resource "google_${noun}_iam_member" "cloud_control" {
  ${noun === 'organization' ? 'org_id' : 'folder'} = "${id}"
  role   = google_organization_iam_custom_role.cloud_control.id
  member = ${member}
}
`
  }
  return `resource "google_project_iam_custom_role" "cloud_control" {
  project     = "${accountId}"
  role_id     = "cloudControl"
  title       = "Cloud Control"
  permissions = ${list}
}

resource "google_project_iam_member" "cloud_control" {
  project = "${accountId}"
  role    = google_project_iam_custom_role.cloud_control.id
  member  = ${member}
}
`
}

const variableOf = (accountId: string) =>
  accountId.includes('/')
    ? { declared: 'variable "project" { type = string }\n\n', project: 'var.project' }
    : { declared: '', project: `"${accountId}"` }

function tofuForFederation(facts: SetupFacts): string {
  const { declared, project } = variableOf(facts.accountId)
  const member = `"principal://iam.googleapis.com/\${google_iam_workload_identity_pool.cloud_control.name}/subject/${facts.subject}"`
  return `${declared}resource "google_iam_workload_identity_pool" "cloud_control" {
  project                   = ${project}
  workload_identity_pool_id = "cloud-control"
}

resource "google_iam_workload_identity_pool_provider" "cloud_control" {
  project                            = ${project}
  workload_identity_pool_id          = google_iam_workload_identity_pool.cloud_control.workload_identity_pool_id
  workload_identity_pool_provider_id = "cloud-control"
  attribute_mapping                  = { "google.subject" = "assertion.sub" }
  attribute_condition                = ${JSON.stringify(conditionOf(facts))}
  oidc {
    issuer_uri = "${facts.issuer}"
  }
}

${tofuForRole(facts.accountId, member)}
output "workload_identity_provider" {
  value = google_iam_workload_identity_pool_provider.cloud_control.name
}
`
}

function tofuForKeys({ accountId }: SetupFacts): string {
  const { declared, project } = variableOf(accountId)
  return `${declared}resource "google_service_account" "cloud_control" {
  project    = ${project}
  account_id = "cloud-control"
}

resource "google_service_account_key" "cloud_control" {
  service_account_id = google_service_account.cloud_control.name
}

${tofuForRole(accountId, 'google_service_account.cloud_control.member')}
output "service_account_key" {
  value     = base64decode(google_service_account_key.cloud_control.private_key)
  sensitive = true
}
`
}
