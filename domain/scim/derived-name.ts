import type { Element } from './read-value.ts'

/** A name in parts, where only the whole is known: some connectors refuse a person without them. */
export function derivedName(text: string): Element {
  const whole = text.includes(' ') ? text : text.replace(/@.*$/s, '')
  const [givenName = '', ...rest] = whole.split(' ')
  return { formatted: whole, givenName, familyName: rest.join(' ') || givenName }
}
