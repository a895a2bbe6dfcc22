import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AppError } from '../../domain/errors.ts'
import { createPlaces } from '../http/places.ts'
import { errors, IdParams, NoQuery } from '../http/schemas.ts'
import { accountTarget, manageAccounts } from './account-target.ts'
import { CloudAccountBody } from './schemas.ts'
import { validateNow } from './validate-now.ts'

/** Of one organization in one process: each takes up to 10 s and some 20 requests to a cloud. */
const validationsAtOnce = 4
const places = createPlaces({ ofOrganization: validationsAtOnce })

/** Asking the cloud now whether an account's credentials do what it is for. */
export const validateRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/cloud/accounts/:id/validate',
    {
      config: { ...manageAccounts, target: accountTarget },
      schema: {
        operationId: 'validateCloudAccount',
        description:
          'Checks all parts at once, within 10 s. 400 cloud_permissions_missing names the missing rights, 400 cloud_credentials_rejected what to replace, 503 cloud_unreachable that the cloud does not answer. A part that failed for another reason, such as a bucket that does not exist, is 200: the account is degraded, and its checks say why.',
        params: IdParams,
        querystring: NoQuery,
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
      const validating = places.run(caller.organizationId, async () =>
        validateNow(app.deps, caller, id),
      )
      if (!validating)
        throw new AppError(
          'rate_limited',
          `Your organization is validating ${validationsAtOnce} accounts, and no more are validated at once. Try again in a moment.`,
          { code: 'too_many_validations', retryAfterSeconds: 10 },
        )
      return { ok: true as const, account: await validating, missing: [] }
    },
  )
}
