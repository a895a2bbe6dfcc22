/** A plan of any size may be genuine, so one that is too large to be read is not called forged. */
export class PlanTooLarge extends Error {
  constructor(fault: string) {
    super(`The plan is too large to be read: ${fault}. Split the workspace into smaller ones.`)
    this.name = 'PlanTooLarge'
  }
}

/** The plan file is not what it should be. The message names an address or a place, never a value. */
export class PlanForged extends Error {
  constructor(fault: string) {
    super(`The plan file and what was read from it do not agree: ${fault}.`)
    this.name = 'PlanForged'
  }
}
