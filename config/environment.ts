import { Secret } from './secret.ts'

/** The environment as every area reads it. What is wrong is added to `faults`, and reading goes on. */
export type Environment = {
  values: NodeJS.ProcessEnv
  production: boolean
  faults: string[]
  /** The value, or a fault with the hint where there is none. */
  need: (name: string, hint: string) => string
  /** A whole number of 0 or more, within `[least, most]` where that is given. */
  number: (name: string, fallback: number, bounds?: [number, number]) => number
  secret: (name: string) => Secret | undefined
  /** The parts between commas. */
  list: (name: string) => string[]
}

export function readEnvironment(values: NodeJS.ProcessEnv): Environment {
  const faults: string[] = []
  return {
    values,
    production: values['NODE_ENV'] === 'production',
    faults,
    need(name, hint) {
      const value = values[name]
      if (value) return value
      faults.push(`${name} is not set: ${hint}`)
      return ''
    },
    number(name, fallback, bounds) {
      const value = values[name]
      if (value === undefined || value === '') return fallback
      const parsed = Number(value)
      if (!Number.isInteger(parsed) || parsed < 0)
        faults.push(`${name}=${value} is not a whole number`)
      else if (bounds && (parsed < bounds[0] || parsed > bounds[1]))
        faults.push(`${name}=${parsed} is not between ${bounds[0]} and ${bounds[1]}`)
      else return parsed
      return fallback
    },
    secret(name) {
      const value = values[name]
      return value ? new Secret(value) : undefined
    },
    list: (name) => (values[name] ?? '').split(',').filter(Boolean),
  }
}
