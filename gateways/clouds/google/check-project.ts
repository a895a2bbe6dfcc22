import { rights } from '../../../domain/clouds/rights.ts'
import { CloudFault } from '../cloud-fault.ts'
import type { GoogleSession } from './google-session.ts'

/**
 * Of the rights that setup gives, those that the credentials have in the account. The call needs no right itself:
 * Google answers 403 to it for an account that does not exist, and an empty list or 403 for one in which the caller
 * has no role. The documentation of Resource Manager leaves open which.
 */
export async function grantedRights(
  session: GoogleSession,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  try {
    const { permissions } = await session.call({
      url: `https://cloudresourcemanager.googleapis.com/v3/${session.scope}:testIamPermissions`,
      action: 'testIamPermissions',
      body: { permissions: rights.gcp.map(({ permission }) => permission) },
      signal,
    })
    return Array.isArray(permissions) ? permissions.map(String) : []
  } catch (error) {
    throw isDenied(error) ? unseen(session) : error
  }
}

/**
 * What a refused search means: the missing right, or, where the credentials have none of the rights that setup gives,
 * that nothing shows that the account is theirs.
 */
export async function refusedSearch(
  session: GoogleSession,
  error: unknown,
  granted: () => Promise<readonly string[]>,
): Promise<unknown> {
  if (!isDenied(error)) return error
  return (await granted()).length > 0 ? error : unseen(session)
}

const isDenied = (error: unknown): boolean => error instanceof CloudFault && error.kind === 'denied'

function unseen({ target }: GoogleSession): CloudFault {
  const home = homeOf(target.credentials)
  const whose = home === undefined ? '' : ` They are of project ${home}.`
  return new CloudFault(
    'credentials',
    `Google shows these credentials nothing of ${target.accountId}: it is another customer's, does not exist, was deleted, or they have no role in it.${whose} Google gives one answer to all of these. Check accountId, then give the role that setup shows and validate again. A new role takes some minutes to hold.`,
  )
}

/** The project of the service account, which its address names. */
function homeOf(credentials: GoogleSession['target']['credentials']): string | undefined {
  const text =
    'serviceAccountKey' in credentials
      ? credentials.serviceAccountKey
      : (credentials.serviceAccountEmail ?? '')
  return /@([a-z][a-z0-9-]{4,28}[a-z0-9])\.iam\.gserviceaccount\.com/.exec(text)?.[1]
}
