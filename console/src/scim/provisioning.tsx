import { useMe } from '../app/session.ts'
import { GroupMappings } from './group-mappings.tsx'
import { ScimLog } from './scim-log.tsx'
import { ScimTokens } from './scim-tokens.tsx'
import { ForAdministrators } from '../organizations/for-administrators.tsx'

/** Provisioning of people and groups by an identity provider (SCIM 2.0, RFC 7644). */
export function ProvisioningPage() {
  const { may } = useMe()
  if (!may('manage_users_sso')) return <ForAdministrators what="Provisioning" />
  return (
    <>
      <GroupMappings />
      <ScimTokens />
      <ScimLog />
    </>
  )
}
