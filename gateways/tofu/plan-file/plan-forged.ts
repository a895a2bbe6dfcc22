/** The plan file is not what it should be. The message names an address or a place, never a value. */
export class PlanForged extends Error {
  constructor(fault: string) {
    super(`The plan file and what was read from it do not agree: ${fault}.`)
    this.name = 'PlanForged'
  }
}
