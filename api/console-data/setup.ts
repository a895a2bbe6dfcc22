import { Type, type Static } from 'typebox'
import type { Caller } from '../../domain/access/caller.ts'
import type { Config } from '../../config.ts'
import { setupStand } from '../../store/console/setup-stand.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { Nullable, OneOf } from '../http/schemas.ts'

export const SetupBody = Nullable(
  Type.Object(
    {
      mailServer: Type.Boolean({ description: 'Whether mail is sent, and not kept as files.' }),
      sandbox: OneOf(['bubblewrap', 'process']),
      keyringGenerated: Type.Boolean({
        description: 'The keys are those that the first start wrote beside the data.',
      }),
      owners: Type.Integer({ description: 'Active ones: 1, or 2 for more.' }),
      hasColleague: Type.Boolean(),
      hasRun: Type.Boolean(),
      hasGitConnection: Type.Boolean(),
      hasCloudAccount: Type.Boolean(),
      hasPolicy: Type.Boolean(),
      hasIdentityProvider: Type.Boolean(),
    },
    {
      description:
        'What is set up, and what of the installation an Owner should know. Null for all others.',
    },
  ),
)

/**
 * For Owners alone: how the service is run helps an attacker, and no other role can change it. It says
 * that a key is generated, and neither its id nor its place.
 */
export async function setupOf(
  tenant: Tenant,
  config: Config,
  { role }: Caller,
): Promise<Static<typeof SetupBody>> {
  if (role !== 'Owner') return null
  return {
    mailServer: config.smtpUrl !== undefined,
    sandbox: config.sandbox,
    keyringGenerated: config.keyringIsGenerated,
    ...(await setupStand(tenant)),
  }
}
