import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { cloudProviders } from '../../domain/clouds/cloud-account.ts'
import { setupUses } from '../../domain/clouds/setup-texts.ts'
import { errors, Nullable, OneOf, Text } from '../http/schemas.ts'
import { manageAccounts } from './account-target.ts'
import { setUpAccount } from './set-up-account.ts'

const Question = Type.Object(
  {
    provider: OneOf(cloudProviders),
    accountId: Text(130, 1),
    use: Type.Optional(OneOf(setupUses)),
  },
  { additionalProperties: false },
)

const SetupBody = Type.Object({
  externalId: Type.String(),
  issuer: Type.String(),
  audience: Nullable(Type.String()),
  subjects: Type.Array(Type.String()),
  permissions: Type.Array(Type.Object({ part: Type.String(), permission: Type.String() })),
  policy: Type.String(),
  trustPolicy: Nullable(Type.String()),
  commands: Type.String(),
  opentofu: Type.String(),
  issuerDocuments: Type.Array(Type.Object({ url: Type.String(), content: Type.String() })),
})

/** What to paste in a cloud so that its account can be connected. */
export const setupRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/cloud/accounts/setup',
    {
      config: manageAccounts,
      schema: {
        operationId: 'getCloudAccountSetup',
        description:
          'Trust policy, least-rights policy, commands and OpenTofu text to paste in the cloud. Where the cloud cannot reach the issuer, publish issuerDocuments at their addresses.',
        querystring: Question,
        response: { 200: SetupBody, ...errors() },
      },
    },
    async ({ caller, query }) => setUpAccount(app.deps, caller, query),
  )
}
