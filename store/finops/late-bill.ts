/** A bill that is later than this says nothing of today. */
const lateAfterDays = 5

type Sql = { through: string; provider: string; today: string }

/**
 * SQL: whether a bill that is complete through a day is late. A bill of AWS is complete one day after, any other
 * bill two days.
 */
export const isLateBill = ({ through, provider, today }: Sql): string =>
  `(${through} < ${today} - case when ${provider} = 'aws' then 1 else 2 end - ${lateAfterDays})`
