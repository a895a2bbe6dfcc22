import { publishedKeys } from '../../app/clouds/published-keys.ts'
import { signingKey } from '../../app/clouds/signing-key.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { accountSetup, type AccountSetup } from '../../domain/clouds/account-setup.ts'
import { checkAccountId } from '../../domain/clouds/check-account-id.ts'
import type { CloudProvider } from '../../domain/clouds/cloud-account.ts'
import { discoveryDocument, issuerAddress } from '../../domain/clouds/issuer-address.ts'
import { refuseField } from '../../domain/clouds/refuse-field.ts'
import type { SetupUse } from '../../domain/clouds/setup-texts.ts'
import { accountSubject, runSubject } from '../../domain/clouds/web-identity.ts'
import { cloudIdentity } from '../../store/clouds/cloud-identity.ts'
import type { Deps } from '../deps.ts'
import { issuerOrigin } from './issuer-origin.ts'

type Asked = { provider: CloudProvider; accountId: string; use?: SetupUse }
type IssuerDocument = { url: string; content: string }

/** A role is assumed by its external id first, where the service has an AWS identity. */
const usualUse = ({ config }: Deps, provider: CloudProvider): SetupUse =>
  provider === 'aws' && config.awsIdentity !== 'none' ? 'role' : 'federation'

/** What to do in a cloud before its account is connected; the issuer's key is made for it. */
export async function setUpAccount(
  deps: Deps,
  { organizationId }: Caller,
  { provider, accountId: sent, use = usualUse(deps, provider) }: Asked,
): Promise<AccountSetup & { issuerDocuments: IssuerDocument[] }> {
  const accountId = checkAccountId(provider, sent)
  if (use === 'role' && (provider !== 'aws' || deps.config.awsIdentity === 'none'))
    throw refuseField(
      'use',
      provider === 'aws'
        ? 'this installation has no AWS identity of its own (CC_AWS_IDENTITY); use federation or keys'
        : 'a role with an external id is for aws alone; use federation or keys',
    )
  const { slug, publicId, externalId } = await deps.store.tenant(organizationId, cloudIdentity)
  const issuer = issuerAddress(issuerOrigin(deps), publicId)
  const subject = accountSubject(slug, accountId)
  const runSubjects = {
    plan: runSubject(slug, '*', 'plan'),
    apply: runSubject(slug, '*', 'apply'),
  }
  await signingKey(deps, organizationId)
  const documents = [
    { url: `${issuer}/.well-known/openid-configuration`, body: discoveryDocument(issuer) },
    { url: `${issuer}/jwks.json`, body: await publishedKeys(deps, organizationId) },
  ]
  return {
    ...accountSetup(provider, { accountId, use, externalId, issuer, subject, runSubjects }),
    issuerDocuments: documents.map(({ url, body }) => ({ url, content: JSON.stringify(body) })),
  }
}
