type Named = { name: string; email: string | null; userName: string | null }

/**
 * What other people know a person by: the name with the address, never an id. An identity provider
 * may make people whose user name is an id of its own and who have neither.
 */
export function labelOfPerson({ name, email, userName }: Named): string {
  const known = [name, email].filter((text) => text)
  if (known.length === 2 && name.toLowerCase() !== email?.toLowerCase()) return `${name} (${email})`
  return known[0] ?? (userName && !isId(userName) ? userName : 'a member without a name')
}

/** A number, a UUID or another run of hexadecimal digits. */
const isId = (text: string): boolean => /^(?:\d+|[0-9a-f-]{16,})$/i.test(text)
