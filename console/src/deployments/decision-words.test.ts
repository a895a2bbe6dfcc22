import { expect, test } from 'vitest'
import { releaseDecisionWords } from './decision-words.ts'

test('a decision names its target, and each has a button of its own', () => {
  const all = ([undefined, 2] as const).flatMap((step) =>
    (['approve', 'reject'] as const).map((choice) =>
      releaseDecisionWords({ choice, step, target: 'shop' }),
    ),
  )
  expect(all.map(({ title }) => title)).toEqual([
    'Approve and deploy to shop?',
    'Reject this release?',
    'Let the deployment to shop go on after step 2?',
    'Stop the deployment and go back?',
  ])
  expect(new Set(all.map(({ act }) => act)).size).toBe(4)
  expect(all.map(({ tone }) => tone)).toEqual(['primary', 'danger', 'primary', 'danger'])
})
