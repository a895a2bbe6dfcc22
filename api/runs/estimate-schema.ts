import { Type } from 'typebox'
import { Nullable, OneOf } from '../http/schemas.ts'

/** The estimate of a run's plan beside the bills that came since. */
export const EstimateBody = Type.Object(
  {
    predictedMonthly: Type.Number({ description: 'What the plan changes of the monthly cost.' }),
    coverage: Type.Number({ description: 'The share of the resources whose price is known.' }),
    currency: Type.String(),
    resources: Type.Array(
      Type.Object({
        address: Type.String(),
        side: OneOf(['created', 'changed', 'deleted']),
        delta: Type.Number(),
      }),
      { description: 'What it changes of each resource, the greatest changes first.' },
    ),
    others: Type.Integer({
      description: 'Further changed resources, most of them without a price.',
    }),
    checks: Type.Array(
      Type.Object({
        afterDays: Type.Integer({ description: '7 or 30' }),
        at: Type.String({ format: 'date', description: 'The last day of the bill that was read.' }),
        currency: Type.String(),
        predicted: Type.Number(),
        billed: Type.Number(),
        ratio: Nullable(Type.Number({ description: 'What of the prediction the bill has.' })),
        coverage: Type.Number({
          description:
            'The share of the changed resources of which the bill says something: `predicted` and `billed` are of these.',
        }),
        resources: Type.Array(
          Type.Object({
            address: Type.String(),
            predicted: Type.Number(),
            billed: Nullable(Type.Number()),
          }),
        ),
      }),
      {
        description: '7 and 30 days after the apply, once the bills are complete through that day.',
      },
    ),
  },
  { description: 'The estimate of the plan beside the bill; null without a plan that was priced.' },
)
