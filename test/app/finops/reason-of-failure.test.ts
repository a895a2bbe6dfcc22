import { expect, test } from 'vitest'
import { reasonOfFailure } from '../../../app/finops/reason-of-failure.ts'

const ours = reasonOfFailure('unknown')

test.each(['bill_not_whole', 'bill_too_large', 'reader_lost', 'upload_damaged'])(
  'a bill that ends with %s is told what to do',
  (code) => {
    expect(ours).toMatch(/our side/)
    expect(reasonOfFailure(code)).not.toBe(ours)
  },
)
