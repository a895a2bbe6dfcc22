import { runPhases } from './check-runs.ts'
import { rightsOf } from './rights.ts'
import type { SetupFacts, SetupTexts } from './setup-texts.ts'
import { audienceOf } from './web-identity.ts'

/**
 * An application of Entra with a role of its own. Azure has no role by external id: `role` is set up
 * as federation is.
 */
export function setupOfAzure(facts: SetupFacts): SetupTexts {
  const isFederated = facts.use !== 'keys'
  const scope = scopeOf(facts.accountId)
  const role = json({
    Name: 'Cloud Control',
    IsCustom: true,
    Description: 'Lists resources and reads bills.',
    Actions,
    DataActions,
    AssignableScopes: [scope],
  })
  const trust = isFederated ? json(credentialOf(facts)) : null
  return {
    audience: isFederated ? audience : null,
    policy: role,
    trustPolicy: trust,
    commands: commandsOf({ scope, role, trust }) + (isFederated ? commandsForRuns(facts) : ''),
    opentofu: tofuOf(facts, { scope, isFederated }),
  }
}

const audience = audienceOf('azure', '')
const json = (value: unknown) => JSON.stringify(value, undefined, 2)
const isData = (permission: string) => permission.includes('/blobs/')

/**
 * Resource Graph shows those resources alone that the identity may read, so it may read all. This
 * covers the rights of identity and inventory.
 */
const Actions = ['*/read']
const DataActions = rightsOf('azure', 'billing').filter(isData)

const scopeOf = (accountId: string) =>
  accountId.startsWith('managementGroups/')
    ? `/providers/Microsoft.Management/${accountId}`
    : `/subscriptions/${accountId}`

const credentialOf = ({ issuer, subject }: SetupFacts) => ({
  name: 'cloud-control',
  issuer,
  subject,
  audiences: [audience],
})

function commandsOf(texts: { scope: string; role: string; trust: string | null }): string {
  const { scope, role, trust } = texts
  const credential =
    trust === null
      ? `az ad app credential reset --id "$APP_ID" --display-name cloud-control`
      : `az ad app federated-credential create --id "$APP_ID" --parameters '${trust}'`
  return `APP_ID=$(az ad app create --display-name cloud-control --query appId --output tsv)
az ad sp create --id "$APP_ID"
${credential}
az role definition create --role-definition '${role}'
az role assignment create --assignee "$APP_ID" --role 'Cloud Control' --scope '${scope}'
az account show --query tenantId --output tsv
`
}

/** As comments: Entra compares the whole subject, so each workspace needs a credential of its own. */
const commandsForRuns = ({ issuer, runSubjects }: SetupFacts): string =>
  runPhases
    .map((phase) => {
      const subject = runSubjects[phase].replace('*', 'NAME_OF_THE_WORKSPACE')
      const name = `cloud-control-${phase}`
      const credential = JSON.stringify({ name, issuer, subject, audiences: [audience] })
      return `# For runs in their ${phase}, of an application to which you give the rights:
# az ad app federated-credential create --id "$ID_OF_THE_APPLICATION" --parameters '${credential}'
`
    })
    .join('')

function tofuOf(
  { issuer, subject }: SetupFacts,
  { scope, isFederated }: { scope: string; isFederated: boolean },
): string {
  const credential = isFederated
    ? `resource "azuread_application_federated_identity_credential" "cloud_control" {
  application_id = azuread_application.cloud_control.id
  display_name   = "cloud-control"
  issuer         = "${issuer}"
  subject        = "${subject}"
  audiences      = ["${audience}"]
}`
    : `resource "azuread_application_password" "cloud_control" {
  application_id = azuread_application.cloud_control.id
}

output "client_secret" {
  value     = azuread_application_password.cloud_control.value
  sensitive = true
}`
  return `resource "azuread_application" "cloud_control" {
  display_name = "cloud-control"
}

resource "azuread_service_principal" "cloud_control" {
  client_id = azuread_application.cloud_control.client_id
}

${credential}

resource "azurerm_role_definition" "cloud_control" {
  name  = "Cloud Control"
  scope = "${scope}"
  permissions {
    actions      = ${JSON.stringify(Actions)}
    data_actions = ${JSON.stringify(DataActions)}
  }
  assignable_scopes = ["${scope}"]
}

resource "azurerm_role_assignment" "cloud_control" {
  scope              = "${scope}"
  role_definition_id = azurerm_role_definition.cloud_control.role_definition_resource_id
  principal_id       = azuread_service_principal.cloud_control.object_id
}

output "client_id" {
  value = azuread_application.cloud_control.client_id
}
`
}
