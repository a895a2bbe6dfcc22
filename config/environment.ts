import { Secret } from './secret.ts'

/** Readers for settings. They add a fault to `faults` instead of throwing, so that all faults are found. */
export type Environment = {
  values: NodeJS.ProcessEnv
  production: boolean
  faults: string[]
  /** The value. If it is not set: a fault with the hint, and an empty string. */
  need: (name: string, hint: string) => string
  /** An integer of at least 0, within `bounds` (`[least, most]`) if they are given. */
  number: (name: string, fallback: number, bounds?: [number, number]) => number
  secret: (name: string) => Secret | undefined
  /** A list separated by commas. */
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
