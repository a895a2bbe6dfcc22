import { useQuery } from '@tanstack/react-query'
import { ssoQuery } from '../saml/queries.ts'
import { useMe } from '../app/session.ts'
import { Guide } from '../parts/guide.tsx'
import { GroupMappings } from './group-mappings.tsx'
import { scimGuides } from './scim-guides.ts'
import { ScimTest } from './scim-test.tsx'
import { ScimLog } from './scim-log.tsx'
import { ScimTokens } from './scim-tokens.tsx'
import { ForAdministrators } from '../organizations/for-administrators.tsx'

function ScimGuide() {
  const { data } = useQuery(ssoQuery)
  if (!data) return null
  return (
    <Guide title="Setup guide" guides={scimGuides(data.scim.baseUrl)}>
      <ScimTest />
    </Guide>
  )
}

/** Provisioning of people and groups by an identity provider (SCIM 2.0, RFC 7644). */
export function ProvisioningPage() {
  const { may } = useMe()
  if (!may('manage_users_sso')) return <ForAdministrators what="Provisioning" />
  return (
    <>
      <GroupMappings />
      <ScimTokens />
      <ScimGuide />
      <ScimLog />
    </>
  )
}
