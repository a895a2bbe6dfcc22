/** A seeded generator of numbers (mulberry32): the same seed makes the same series on every machine. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  uniform(low = 0, high = 1): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return low + (((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * (high - low)
  }

  integer(low: number, high: number): number {
    return Math.floor(this.uniform(low, high + 1))
  }

  logUniform(low: number, high: number): number {
    return Math.exp(this.uniform(Math.log(low), Math.log(high)))
  }

  chance(probability: number): boolean {
    return this.uniform() < probability
  }

  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.uniform())) * Math.cos(2 * Math.PI * this.uniform())
  }

  /** Student's t with 5 degrees of freedom, scaled to a standard deviation of 1. */
  heavyTailed(): number {
    let squares = 0
    for (let i = 0; i < 5; i++) squares += this.normal() ** 2
    return this.normal() / Math.sqrt(squares / 5) / Math.sqrt(5 / 3)
  }

  /** One of these, as often as its weight says. */
  pick<Name extends string>(weights: Record<Name, number>): Name {
    const names = Object.keys(weights) as Name[]
    let left = this.uniform() * names.reduce((sum, name) => sum + weights[name], 0)
    for (const name of names) {
      left -= weights[name]
      if (left < 0) return name
    }
    throw new Error('no weights')
  }
}
