import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { errors, IdParams } from '../http/schemas.ts'
import { accountTarget, manageAccounts } from './account-target.ts'
import { CloudAccountBody } from './schemas.ts'
import { validateNow } from './validate-now.ts'

/** Asking the cloud now whether an account's credentials do what it is for. */
export const validateRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/cloud/accounts/:id/validate',
    {
      config: { ...manageAccounts, target: accountTarget },
      schema: {
        operationId: 'validateCloudAccount',
        description:
          'Checks all parts at once, within 10 s. 400 cloud_permissions_missing names the missing rights, 400 cloud_credentials_rejected what to replace, 503 cloud_unreachable what does not answer.',
        params: IdParams,
        response: {
          200: Type.Object({
            ok: Type.Literal(true),
            account: CloudAccountBody,
            missing: Type.Array(Type.String()),
          }),
          ...errors(),
        },
      },
    },
    async ({ caller, params: { id } }) => {
      const account = await validateNow(app.deps, caller, id)
      return { ok: true as const, account, missing: [] }
    },
  )
}
