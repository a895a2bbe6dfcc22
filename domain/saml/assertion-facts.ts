import type { Assertion } from './read-assertion.ts'

/** What the trace shows of a genuine assertion: no attribute's value and no person's name. */
export type AssertionFacts = {
  issuer: string
  audiences: string[]
  recipients: string[]
  times: Record<string, string | null>
  attributes: Array<{ name: string; friendlyName: string | null; values: number }>
}

const maxShown = 100
const maxLength = 300

export function assertionFacts(assertion: Assertion): AssertionFacts {
  const { conditions, confirmations } = assertion
  const time = (date: Date | undefined) => date?.toISOString() ?? null
  return {
    issuer: assertion.issuer.slice(0, maxLength),
    audiences: conditions.audiences.flat().slice(0, maxShown).map(short),
    recipients: confirmations.slice(0, maxShown).map(({ recipient }) => short(recipient ?? '')),
    times: {
      issuedAt: time(assertion.issuedAt),
      notBefore: time(conditions.notBefore),
      notOnOrAfter: time(conditions.notOnOrAfter),
      confirmedUntil: time(confirmations[0]?.notOnOrAfter),
      sessionNotOnOrAfter: time(assertion.sessionNotOnOrAfter),
    },
    attributes: assertion.attributes.slice(0, maxShown).map(({ name, friendlyName, values }) => ({
      name: short(name),
      friendlyName: friendlyName === undefined ? null : short(friendlyName),
      values: values.length,
    })),
  }
}

const short = (text: string): string => text.slice(0, maxLength)
